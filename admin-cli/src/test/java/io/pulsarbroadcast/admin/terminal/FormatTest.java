/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormatTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1.0 KiB",
    "1536, 1.5 KiB",
    "1048576, 1.0 MiB",
    "9223372036854775807, 8.0 EiB",
    "-1, -1 B"
  })
  void shouldWriteBytes(long bytes, String expected) {
    assertThat(Format.bytes(bytes)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "59, 59s",
    "60, 1m",
    "61, 1m 1s",
    "3600, 1h",
    "97200, 1d 3h",
    "86401, 1d",
    ", -"
  })
  void shouldWriteDurations(Long seconds, String expected) {
    assertThat(Format.duration(seconds)).isEqualTo(expected);
  }

  @Test
  void shouldAlignWideCharacters() {
    Table table = new Table("NAME", ">LAG", "");
    table.row("\u4e2d\u6587", "5", "x");
    table.row("abc", "1,000", "");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.print(new PrintStream(out, true, StandardCharsets.UTF_8));
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("NAME    LAG\n\u4e2d\u6587      5  x\nabc   1,000\n");
  }
}
