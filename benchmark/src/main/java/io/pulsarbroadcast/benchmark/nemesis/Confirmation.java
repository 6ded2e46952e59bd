/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** By what it is seen that a fault has bitten. Used as its {@link Fault} is. */
interface Confirmation {
  /** What a broker logs that has not heard of ZooKeeper for as long as its session lasts. */
  String SESSION_LOST = "Notifying session is lost";

  /** The two ways to lose it: nothing is heard, or what is heard first is that it is over. */
  List<String> SESSION_ENDS = List.of(SESSION_LOST, "ZooKeeper session expired");

  long WITHOUT_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** What a bookie logs that has no room for entries. */
  String READ_ONLY = "Transitioning Bookie to ReadOnly mode";

  /** Before the fault: remembers how it was. */
  default void prepare() throws IOException, InterruptedException {}

  /** Whether it is different now. */
  boolean holds() throws IOException, InterruptedException;

  /**
   * ZooKeeper does not list the broker any more, and others have the topics that it had; or, after
   * a while, do not say who has them: the extensible load manager may be without its own topic
   * then.
   */
  static Confirmation moved(NemesisCluster cluster, Node broker) {
    return new Confirmation() {
      private List<String> owned;
      private long expiredNanos;

      @Override
      public void prepare() throws IOException, InterruptedException {
        owned = cluster.topicsOf(broker);
      }

      @Override
      public boolean holds() throws IOException, InterruptedException {
        if (owned.isEmpty() || cluster.isListedBroker(broker)) {
          return false;
        }
        if (expiredNanos == 0) {
          expiredNanos = System.nanoTime();
        }
        return System.nanoTime() - expiredNanos > WITHOUT_ANSWER_NANOS
            || cluster.areElsewhere(owned, broker);
      }
    };
  }

  /** Nothing is stored any more in the topics that this broker had, although it is published. */
  static Confirmation stuck(NemesisCluster cluster, Node broker) {
    return new Confirmation() {
      private List<String> owned;
      private long beganNanos;

      @Override
      public void prepare() throws IOException, InterruptedException {
        owned = cluster.topicsOf(broker);
        beganNanos = System.nanoTime();
      }

      @Override
      public boolean holds() {
        return !owned.isEmpty()
            && owned.stream().allMatch(topic -> cluster.isPublishingStuck(topic, beganNanos));
      }
    };
  }

  /** ZooKeeper does not list the bookie any more. */
  static Confirmation unlisted(NemesisCluster cluster, Node bookie) {
    return () -> !cluster.isListed(bookie);
  }

  /** Every broker has lost its session. */
  static Confirmation sessionsLost(NemesisCluster cluster) {
    return new Confirmation() {
      private List<LogMark> logs;

      @Override
      public void prepare() {
        logs = cluster.brokers().stream().map(LogMark::new).toList();
      }

      @Override
      public boolean holds() {
        return logs.stream().allMatch(log -> log.hasSince(SESSION_LOST));
      }
    };
  }

  /** The bookie takes no entries any more, or has ended. */
  static Confirmation readOnly(Node bookie) {
    return new Confirmation() {
      private LogMark log;

      @Override
      public void prepare() {
        log = new LogMark(bookie);
      }

      @Override
      public boolean holds() {
        return !bookie.isRunning() || log.hasSince(READ_ONLY);
      }
    };
  }
}
