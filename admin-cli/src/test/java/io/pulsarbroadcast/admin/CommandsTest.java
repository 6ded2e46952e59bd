/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.pulsar.admin.cli.extensions.CustomCommand;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What pulsar-admin makes help of. */
class CommandsTest {

  static List<CustomCommand> commands() {
    return Cli.commands();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldDescribeACommandWithAnExample(CustomCommand command) {
    assertThat(command.description())
        .contains("Example: pulsar-admin broadcast " + command.name() + " ")
        // A format specifier for picocli.
        .doesNotContain("%");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldDescribeEachParameterAndNameItOnce(CustomCommand command) {
    List<ParameterDescriptor> parameters = command.parameters();
    assertThat(parameters)
        .allSatisfy(parameter -> assertThat(parameter.getDescription()).isNotBlank());
    assertThat(parameters)
        .filteredOn(ParameterDescriptor::isMainParameter)
        // A topic or namespace, except of what is the broker's.
        .hasSize(command.name().equals("settings") ? 0 : 1);
    assertThat(parameters.stream().flatMap(parameter -> parameter.getNames().stream()))
        .doesNotHaveDuplicates()
        // These are pulsar-admin's own.
        .doesNotContain("-h", "--help", "-v", "--version");
  }
}
