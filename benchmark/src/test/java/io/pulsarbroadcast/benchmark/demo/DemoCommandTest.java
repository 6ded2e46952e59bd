/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DemoCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(String... arguments) {
    return new DemoCommand(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false)
        .execute(arguments);
  }

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        Arguments.of("--consumers 0", "--consumers is 0; allowed: 1 to 1000000"),
        Arguments.of("--consumers many", "--consumers is many; allowed: 1 to 1000000"),
        Arguments.of("--connections -1", "--connections is -1; allowed: 1 to 1000000"),
        Arguments.of("--messages 0", "--messages is 0; allowed: 1 to 10000000"),
        Arguments.of("--size 31", "--size is 31; allowed: 32 to 5232640"),
        Arguments.of("--rate 0", "--rate is 0; allowed: 0.01 to 1000000"),
        Arguments.of("--rate NaN", "--rate is NaN; allowed: 0.01 to 1000000"),
        Arguments.of("--rate fast", "--rate is fast; allowed: 0.01 to 1000000"),
        Arguments.of("--receiver-queue 0", "--receiver-queue is 0; allowed: 1 to 1000000"),
        Arguments.of(
            "--messages 9 --warmup 9", "--warmup is 9; allowed: less than --messages, which is 9"),
        Arguments.of(
            "--ack twice",
            "--ack is twice; allowed: cumulative, cumulative:<messages>,"
                + " cumulative-ms:<milliseconds>, individual, none"),
        Arguments.of("--mode failover", "--mode is failover; allowed: broadcast, exclusive"),
        Arguments.of(
            "--mode exclusive --compare", "--mode is exclusive; allowed with --compare: broadcast"),
        Arguments.of(
            "--service-url http://host:80",
            "--service-url is http://host:80; allowed: pulsar://host:port"),
        Arguments.of(
            "--service-url pulsar://host:many",
            "--service-url is pulsar://host:many; allowed: pulsar://host:port"),
        Arguments.of(
            "--pulsar-home /no/such/folder",
            "--pulsar-home is /no/such/folder; allowed: a folder that has bin/pulsar, or"
                + " --service-url"),
        Arguments.of("--no-such-option", "Unknown option: '--no-such-option'; see --help"));
  }

  @ParameterizedTest
  @MethodSource("wrongOptions")
  void shouldNameOptionValueAndRangeInOneLine(String arguments, String error) {
    assertThat(execute(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(error + System.lineSeparator());
  }

  @Test
  void shouldShowHelp() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("--consumers", "--compare", "--service-url", "default: 1000", "Exit code");
  }

  @Test
  void shouldFailWhenNobodyListens() {
    assertThat(execute("--service-url", "pulsar://127.0.0.1:1", "--consumers", "2")).isEqualTo(3);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("Cannot connect to 127.0.0.1:1")
        .hasLineCount(1);
  }
}
