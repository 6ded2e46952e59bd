/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.terminal.CommandException;
import io.pulsarbroadcast.admin.terminal.Json;
import java.io.PrintStream;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;

/**
 * What a command gave on a topic, or on each of its partitions.
 *
 * @param partitioned whether there is one for each partition
 */
record Outcomes<T>(TopicName topic, boolean partitioned, List<Outcome<T>> list) {

  /** A call that can fail. */
  @FunctionalInterface
  interface Call<T, R> {
    R on(TopicName topic, T value) throws PulsarAdminException;
  }

  /** The topic or its partitions, without values yet. */
  static Outcomes<Void> of(PulsarAdmin admin, TopicName topic) throws PulsarAdminException {
    int partitions =
        topic.isPartitioned()
            ? 0
            : admin.topics().getPartitionedTopicMetadata(topic.toString()).partitions;
    List<TopicName> topics =
        partitions == 0
            ? List.of(topic)
            : IntStream.range(0, partitions).mapToObj(topic::getPartition).toList();
    return new Outcomes<>(
        topic,
        partitions > 0,
        topics.stream().map(each -> new Outcome<Void>(each, null, null)).toList());
  }

  /** Calls where nothing has failed; failures stay. */
  <R> Outcomes<R> each(Call<T, R> call) {
    return new Outcomes<>(
        topic, partitioned, list.stream().map(outcome -> call(call, outcome)).toList());
  }

  private static <T, R> Outcome<R> call(Call<T, R> call, Outcome<T> outcome) {
    if (!outcome.succeeded()) {
      return new Outcome<>(outcome.topic(), null, outcome.failure());
    }
    try {
      return new Outcome<>(outcome.topic(), call.on(outcome.topic(), outcome.value()), null);
    } catch (PulsarAdminException e) {
      return new Outcome<>(outcome.topic(), null, CommandException.of(e));
    }
  }

  List<T> values() {
    return list.stream().filter(Outcome::succeeded).map(Outcome::value).toList();
  }

  /**
   * Prints the values, then throws what failed.
   *
   * @param text prints a value for people
   */
  void finish(PrintStream out, boolean json, BiConsumer<T, PrintStream> text)
      throws CommandException {
    throwIfAllFailed();
    if (json) {
      out.println(Json.of(partitioned ? byPartition() : list.get(0).value()));
    } else {
      print(out, text);
    }
    throwIfAnyFailed();
  }

  void print(PrintStream out, BiConsumer<T, PrintStream> text) {
    String separator = "";
    for (Outcome<T> outcome : list) {
      if (partitioned) {
        out.println(separator + outcome.topic());
        separator = System.lineSeparator();
      }
      if (outcome.succeeded()) {
        text.accept(outcome.value(), out);
      } else {
        out.println("Failed: " + outcome.failure().summary());
      }
    }
  }

  private Partitions byPartition() {
    return new Partitions(
        topic.toString(),
        list.stream()
            .map(outcome -> outcome.succeeded() ? outcome.value() : Failed.of(outcome))
            .toList());
  }

  private void throwIfAllFailed() throws CommandException {
    if (list.stream().noneMatch(Outcome::succeeded)) {
      throwIfAnyFailed();
    }
  }

  void throwIfAnyFailed() throws CommandException {
    List<Outcome<T>> failed = list.stream().filter(outcome -> !outcome.succeeded()).toList();
    if (failed.isEmpty()) {
      return;
    }
    if (!partitioned) {
      throw failed.get(0).failure();
    }
    throw new CommandException(
        "Failed for %d of %d partitions of %s".formatted(failed.size(), list.size(), topic),
        failed.stream()
            .map(outcome -> outcome.topic() + ": " + outcome.failure().summary())
            .collect(Collectors.joining("; ")));
  }

  /** JSON of a partitioned topic. */
  private record Partitions(String topic, List<Object> partitions) {}

  /** JSON of a partition that failed. */
  private record Failed(String topic, String error) {
    static Failed of(Outcome<?> outcome) {
      return new Failed(outcome.topic().toString(), outcome.failure().summary());
    }
  }
}
