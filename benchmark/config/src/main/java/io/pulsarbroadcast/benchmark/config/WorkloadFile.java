/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A workload file of OpenMessaging Benchmark, with two keys of ours that it ignores: {@code
 * rateSteps} and {@code catchUp}. Any thread may read it.
 *
 * <p>Every message goes to every subscription, so the number of consumers is {@code
 * subscriptionsPerTopic}, and {@code consumerPerSubscription} has to be 1: with one subscription of
 * N consumers OpenMessaging Benchmark expects one copy of a message where N arrive, and never sees
 * a backlog.
 */
public final class WorkloadFile {
  /** Room for what identifies a message in local runs. */
  public static final int MIN_MESSAGE_BYTES = 32;

  private static final int MAX_MESSAGE_BYTES = 5 * 1024 * 1024 - 10 * 1024;
  private static final int MAX_CONSUMERS = 1_000_000;
  private static final int MAX_RATE = 10_000_000;
  private static final int MAX_MINUTES = 10_080;

  /** What OpenMessaging Benchmark's keyDistributor may be. */
  enum KeyDistributor {
    NO_KEY,
    KEY_ROUND_ROBIN,
    RANDOM_NANO
  }

  public String name = "";
  private int topics = 1;
  public int partitionsPerTopic = 1;
  private KeyDistributor keyDistributor = KeyDistributor.NO_KEY;
  public int messageSize;
  private boolean useRandomizedPayloads;
  private double randomBytesRatio;
  private int randomizedPayloadPoolSize;
  private String payloadFile;

  /** Consumers of the topic, each of which gets every message. */
  public int subscriptionsPerTopic;

  public int producersPerTopic = 1;
  private int consumerPerSubscription = 1;

  /** Messages per second, of all producers together. */
  public int producerRate;

  @JsonProperty("consumerBacklogSizeGB")
  private long consumerBacklogSizeGigabytes;

  private double backlogDrainRatio = 1;
  public int testDurationMinutes;
  public int warmupDurationMinutes = 1;
  private List<Integer> rateSteps = new ArrayList<>();

  /** What lags behind, or null. */
  public CatchUp catchUp;

  private WorkloadFile() {}

  /** Throws {@link ConfigException} for the first key that is wrong. */
  public static WorkloadFile read(File file) throws IOException {
    WorkloadFile workload = StrictYaml.read(file, WorkloadFile.class);
    workload.check(new Check(file));
    return workload;
  }

  private void check(Check check) {
    check
        .that(!name.isBlank(), "name", "empty", "any text")
        .range("topics", topics, 1, 1)
        .range("partitionsPerTopic", partitionsPerTopic, 1, 1_000)
        .range("messageSize", messageSize, MIN_MESSAGE_BYTES, MAX_MESSAGE_BYTES)
        .that(
            useRandomizedPayloads,
            "useRandomizedPayloads",
            "false",
            "true (a payloadFile has to be of exactly messageSize bytes)")
        .that(payloadFile == null, "payloadFile", payloadFile, "no such key")
        .range("randomBytesRatio", randomBytesRatio, 0, 1)
        .range("randomizedPayloadPoolSize", randomizedPayloadPoolSize, 1, MAX_CONSUMERS)
        .range("subscriptionsPerTopic", subscriptionsPerTopic, 1, MAX_CONSUMERS)
        .range("producersPerTopic", producersPerTopic, 1, 1_000)
        .range("consumerPerSubscription", consumerPerSubscription, 1, 1)
        .range("producerRate", producerRate, 1, MAX_RATE)
        .that(
            consumerBacklogSizeGigabytes == 0,
            "consumerBacklogSizeGB",
            consumerBacklogSizeGigabytes,
            "0 (it pauses all consumers at once; catchUp lets some lag while others go on)")
        .range("backlogDrainRatio", backlogDrainRatio, 0, 1)
        .range("testDurationMinutes", testDurationMinutes, 1, MAX_MINUTES)
        .range("warmupDurationMinutes", warmupDurationMinutes, 0, MAX_MINUTES);
    checkOwn(check);
  }

  private void checkOwn(Check check) {
    for (Integer rate : rateSteps) {
      check.range("rateSteps", rate, 1, MAX_RATE);
    }
    if (catchUp != null) {
      catchUp.check(check);
      check.that(rateSteps.isEmpty(), "rateSteps", rateSteps, "no such key together with catchUp");
      check.range("partitionsPerTopic", partitionsPerTopic, 1, 1);
    }
  }

  /** Whether messages have keys. */
  public boolean hasKeys() {
    return keyDistributor != KeyDistributor.NO_KEY;
  }

  /** Rates to be tried one after the other until one is not reached; producerRate when not set. */
  public List<Integer> rateSteps() {
    return rateSteps.isEmpty() ? List.of(producerRate) : List.copyOf(rateSteps);
  }

  /** True when the file asks for more than one rate. */
  public boolean isStepped() {
    return !rateSteps.isEmpty();
  }

  /** A backlog, and how many consumers read it while the writer and the others go on. */
  public static final class CatchUp {
    /** In units of 2^30 bytes of payload. */
    public double backlogGigabytes;

    private List<Integer> laggards = new ArrayList<>();

    /** How fast the backlog is written. */
    public int backlogMessagesPerSecond = 10_000;

    private CatchUp() {}

    private void check(Check check) {
      check
          .range("catchUp.backlogGigabytes", backlogGigabytes, 0.001, 10_000)
          .that(!laggards.isEmpty(), "catchUp.laggards", laggards, "a list of numbers of consumers")
          .range("catchUp.backlogMessagesPerSecond", backlogMessagesPerSecond, 1, MAX_RATE);
      for (Integer count : laggards) {
        check.range("catchUp.laggards", count, 1, 100_000);
      }
    }

    /** The same with another backlog. */
    public CatchUp withBacklog(double gigabytes) {
      CatchUp other = new CatchUp();
      other.backlogGigabytes = gigabytes;
      other.laggards = laggards;
      other.backlogMessagesPerSecond = backlogMessagesPerSecond;
      return other;
    }

    /** Numbers of consumers that read it, one round after the other. */
    public List<Integer> laggards() {
      return List.copyOf(laggards);
    }
  }
}
