/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.admin.Cli.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of wrong use, before any broker is asked. */
class WrongUseTest extends CommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "positions t -s alerts --limit 0 | --limit '0' is not allowed; allowed are whole numbers 1 to 1000",
        "positions t -s alerts --limit ten | --limit 'ten' is not allowed",
        "positions t -s alerts --offset -1 | --offset '-1' is not allowed",
        "positions t -s alerts --sort name | --sort 'name' is not allowed; allowed are lag and age",
        "positions t -s alerts --absent --connected | --absent and --connected exclude each other",
        "positions non-persistent://public/default/t -s alerts | Topic 'non-persistent://public/default/t' is not allowed",
        "positions a/b -s alerts | Topic 'a/b' is not allowed",
        "position a/b -s alerts -n car | Topic 'a/b' is not allowed",
        "convert a/b -s alerts | Topic 'a/b' is not allowed",
        "drop t -s alerts | Which positions to drop is missing; allowed is either -n, or --all",
        "drop t -s alerts --all -n car | is said in several ways",
        "drop t -s alerts --all --name-prefix car | is said in several ways",
        "drop t -s alerts --absent-longer-than 7x | --absent-longer-than '7x' is not allowed",
        "drop t -s alerts --further-behind-than -5 | allowed are whole numbers from 0 on",
        "move t -s alerts -n car | Exactly one of --to and --to-position-of is needed",
        "move t -s alerts -n car --to latest --to-position-of bus | Exactly one of",
        "move t -s alerts -n car --to yesterday | --to 'yesterday' is not allowed; allowed are earliest, latest, a message id",
        "move t -s alerts -n car --to +999999999-01-01T00:00:00Z | --to '+999999999-01-01T00:00:00Z' is not allowed; allowed are earliest",
        "move t -s alerts -n car --to -2x | --to '-2x' is not allowed; allowed are numbers with s, m, h",
        "subscriptions public | namespace 'public' is not allowed; allowed are names like tenant/namespace",
      })
  void shouldNameTheOptionTheValueAndWhatIsAllowed(String line, String expected) {
    Result result = cli.run(line.split(" "));
    assertThat(result.reason()).startsWith("Wrong use\n\nReason: ").contains(expected);
    assertThat(result.out()).isEmpty();
    assertThat(broker.requests).isEmpty();
  }
}
