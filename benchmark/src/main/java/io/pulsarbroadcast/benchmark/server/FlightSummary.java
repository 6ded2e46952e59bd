/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where a recorded JVM spent its time and what it allocated, added up. Not thread-safe.
 *
 * <p>Java and native samples count alike, except for natives that only wait. JFR takes them at
 * intervals of their own, so their sum tells where time goes, and not how much of it.
 */
public final class FlightSummary {
  private static final int LINES = 30;
  private static final Set<String> WAITING =
      Set.of(
          "wait",
          "epollWait0",
          "epollWait",
          "epollPwait2",
          "epollBusyWait0",
          "wait0",
          "accept",
          "accept0",
          "poll",
          "park",
          "read0",
          "readBytes",
          "waitForProcessExit0",
          "socketAccept");

  private final Map<String, Long> self = new HashMap<>();
  private final Map<String, Long> onStack = new HashMap<>();
  private final Map<String, Long> threads = new HashMap<>();
  private final Map<String, Long> allocatedBytes = new HashMap<>();
  private final Map<String, Long> allocatedBytesBy = new HashMap<>();
  private long samples;
  private long bytes;

  private FlightSummary() {}

  /** Reads a whole recording. */
  public static FlightSummary of(Path file) throws IOException {
    FlightSummary summary = new FlightSummary();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        summary.add(recording.readEvent());
      }
    }
    return summary;
  }

  private void add(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case "jdk.ExecutionSample":
      case "jdk.NativeMethodSample":
        addSample(event.getStackTrace(), event.getThread("sampledThread"));
        break;
      case "jdk.ObjectAllocationSample":
        addAllocation(event);
        break;
      default:
    }
  }

  private void addSample(RecordedStackTrace stack, RecordedThread thread) {
    if (stack == null || stack.getFrames().isEmpty()) {
      return;
    }
    List<RecordedFrame> frames = stack.getFrames();
    if (WAITING.contains(frames.get(0).getMethod().getName())) {
      return;
    }
    samples++;
    add(self, name(frames.get(0)), 1);
    Set<String> distinct = new HashSet<>();
    frames.forEach(frame -> distinct.add(name(frame)));
    distinct.forEach(name -> add(onStack, name, 1));
    add(threads, thread == null ? "unknown" : group(thread), 1);
  }

  private void addAllocation(RecordedEvent event) {
    long weight = event.getLong("weight");
    RecordedClass type = event.getClass("objectClass");
    bytes += weight;
    add(allocatedBytes, type == null ? "unknown" : type.getName(), weight);
    RecordedStackTrace stack = event.getStackTrace();
    if (stack != null && !stack.getFrames().isEmpty()) {
      add(allocatedBytesBy, name(stack.getFrames().get(0)), weight);
    }
  }

  private static String group(RecordedThread thread) {
    String name = thread.getJavaName() == null ? thread.getOSName() : thread.getJavaName();
    return name == null ? "unknown" : name.replaceAll("[0-9]+", "#");
  }

  private static String name(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    String type = method.getType().getName().replaceFirst("\\$\\$Lambda.*", "\\$\\$Lambda");
    return type + "." + method.getName();
  }

  private static void add(Map<String, Long> counts, String key, long amount) {
    counts.merge(key, amount, Long::sum);
  }

  /** As it stands in the file. */
  public String text() {
    StringBuilder text = new StringBuilder();
    section(text, "Threads (samples, waiting left out)", threads, samples);
    section(text, "Hot methods: on top of the stack (samples)", self, samples);
    section(text, "Hot methods: anywhere on the stack (samples)", onStack, samples);
    section(text, "Allocated, by class (bytes, estimated from samples)", allocatedBytes, bytes);
    section(text, "Allocated, by method (bytes, estimated from samples)", allocatedBytesBy, bytes);
    return text.toString();
  }

  private static void section(
      StringBuilder text, String title, Map<String, Long> counts, long total) {
    text.append(String.format(Locale.ROOT, "%s, %,d in all%n", title, total));
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(LINES)
        .forEach(
            entry ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "%,16d %5.1f%%  %s%n",
                        entry.getValue(),
                        100.0 * entry.getValue() / Math.max(1, total),
                        entry.getKey())));
    text.append(System.lineSeparator());
  }
}
