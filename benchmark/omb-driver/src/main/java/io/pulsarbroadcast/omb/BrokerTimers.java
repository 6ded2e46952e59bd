/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the brokers how long the stages of a run's messages took. One thread may call it. */
final class BrokerTimers {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerTimers.class);
  private static final long TIMEOUT_SECONDS = 60;

  private final AdminApi admin;

  BrokerTimers(AdminApi admin) {
    this.admin = admin;
  }

  /**
   * What passed since the topics were loaded, which is the whole of a run, warm-up included. None,
   * and a line in the log, when a broker cannot be asked: the run is a result without it.
   *
   * @param topics full names, of partitions where there are any
   */
  StageTimers read(Collection<String> topics) throws InterruptedException {
    try {
      Map<String, String> brokers = new TreeMap<>();
      for (String topic : topics) {
        brokers.put(topic, admin.brokerOf(topic).get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
      }
      StageTimers sum = StageTimers.NONE;
      for (String broker : Set.copyOf(brokers.values())) {
        List<String> served =
            topics.stream()
                .filter(topic -> brokers.get(topic).equals(broker))
                .collect(Collectors.toList());
        sum =
            sum.plus(
                StageTimers.read(
                    admin.metrics(broker).get(TIMEOUT_SECONDS, TimeUnit.SECONDS), served));
      }
      if (sum.meanMicros().isEmpty()) {
        LOG.info("The report has no stage timers, because brokers show none of these topics");
      }
      return sum;
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.warn(
          "The report has no stage timers, because the broker cannot be asked: {}", e.toString());
      return StageTimers.NONE;
    }
  }
}
