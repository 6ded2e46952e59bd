/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/** The ways to let every consumer have every message: ours, and those of a stock broker. */
enum StockType {
  BROADCAST("Broadcast"),
  EXCLUSIVE("Exclusive each"),
  SHARED("Shared each"),
  READER("reader each");

  private final String label;

  StockType(String label) {
    this.label = label;
  }

  /** Several, separated by commas. */
  static List<StockType> parse(String value) {
    List<StockType> types = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      try {
        types.add(valueOf(part.strip().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new InvalidOptionException(
            "--types is %s; allowed: %s, separated by commas".formatted(value, allowed()));
      }
    }
    return types;
  }

  private static String allowed() {
    return Arrays.stream(values())
        .map(type -> type.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  String label() {
    return label;
  }

  boolean needsPlugin() {
    return this == BROADCAST;
  }

  /** The subscriptions of this type; Shared ones refuse cumulative acknowledgements. */
  LoadConfigBuilder subscribe(LoadConfigBuilder config, AckPolicy policy) {
    switch (this) {
      case BROADCAST:
        return config.broadcast("bench");
      case EXCLUSIVE:
        return config.subscriptionPerConsumer("exclusive");
      case SHARED:
        return config
            .subscriptionPerConsumer("shared")
            .subType(SubType.Shared)
            .ackPolicy(policy.kind() == AckPolicy.Kind.NONE ? policy : AckPolicy.INDIVIDUAL);
      case READER:
        return config.subscriptionPerConsumer("reader").durable(false);
    }
    throw new IllegalStateException(name());
  }
}
