/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import java.util.List;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.admin.cli.extensions.ParameterType;

/**
 * The parameters of commands. Numbers are declared as text, because of an integer that is not given
 * pulsar-admin makes 0.
 */
final class Parameters {

  static final String TOPIC = "topic";
  static final String NAMESPACE = "namespace";
  static final String SUBSCRIPTION = "-s";
  static final String NAME = "-n";
  static final String JSON = "--json";
  static final String DRY_RUN = "--dry-run";
  static final String YES = "--yes";

  private Parameters() {}

  static ParameterDescriptor topic() {
    return main(TOPIC, "persistent://tenant/namespace/topic, or the topic of public/default");
  }

  static ParameterDescriptor main(String name, String description) {
    return ParameterDescriptor.builder()
        .names(List.of(name))
        .mainParameter(true)
        .required(true)
        .description(description)
        .build();
  }

  static ParameterDescriptor subscription() {
    return required("Name of the Broadcast subscription", SUBSCRIPTION, "--subscription");
  }

  static ParameterDescriptor name(boolean required) {
    String description = "Name of the consumer";
    return required ? required(description, NAME, "--name") : optional(description, NAME, "--name");
  }

  static ParameterDescriptor json() {
    return flag("Print JSON", JSON);
  }

  static ParameterDescriptor dryRun() {
    return flag("Only show what would be changed", DRY_RUN);
  }

  static ParameterDescriptor yes() {
    return flag("Do not ask", YES);
  }

  static ParameterDescriptor required(String description, String... names) {
    return ParameterDescriptor.builder()
        .names(List.of(names))
        .required(true)
        .description(description)
        .build();
  }

  static ParameterDescriptor optional(String description, String... names) {
    return ParameterDescriptor.builder().names(List.of(names)).description(description).build();
  }

  static ParameterDescriptor flag(String description, String... names) {
    return ParameterDescriptor.builder()
        .names(List.of(names))
        .type(ParameterType.BOOLEAN_FLAG)
        .description(description)
        .build();
  }
}
