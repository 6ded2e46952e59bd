/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import io.pulsarbroadcast.process.PulsarCluster;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.net.URI;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Unmodified brokers of one cluster, with a namespace for partitioned topics. One thread at a time
 * may call it.
 */
public final class BrokerCluster implements AutoCloseable {
  private static final BrokerHttp HTTP = new BrokerHttp();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAMESPACE = "public/bench";
  private static final int NOT_FOUND = 404;

  /**
   * Unless set: so that topics are loaded everywhere, also when the machine is busy (a broker above
   * the threshold gets nothing), stay where they were loaded, and with their counters.
   */
  private static final Map<String, String> STEADY =
      Map.of(
          "loadBalancerBrokerOverloadedThresholdPercentage", "1000",
          "loadBalancerSheddingEnabled", "false",
          "loadBalancerAutoBundleSplitEnabled", "false",
          "brokerDeleteInactiveTopicsEnabled", "false");

  private final PulsarCluster cluster;

  private BrokerCluster(PulsarCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts it.
   *
   * @param options of each broker
   * @param bundles of the namespace, which the brokers share out among them
   */
  public static BrokerCluster start(PulsarProcessBuilder options, int brokers, int bundles)
      throws IOException, InterruptedException {
    STEADY.forEach(options::settingIfAbsent);
    BrokerCluster started = new BrokerCluster(PulsarCluster.start(options, brokers));
    try {
      HTTP.put(
          started.admin("namespaces/" + NAMESPACE),
          "{\"bundles\":{\"numBundles\":" + bundles + "}}");
      return started;
    } catch (IOException | InterruptedException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /** Makes a topic, and returns its full name. */
  public String createTopic(String name, int partitions) throws IOException, InterruptedException {
    HTTP.put(
        admin("persistent/" + NAMESPACE + "/" + name + "/partitions"),
        Integer.toString(partitions));
    return "persistent://" + NAMESPACE + "/" + name;
  }

  /** Deletes a topic with all that it keeps. */
  public void forget(String topic) throws IOException, InterruptedException {
    HTTP.send("DELETE", admin(path(topic)) + "/partitions?force=true", NOT_FOUND);
  }

  /** How many partitions with a producer each broker has; without those that have none. */
  public Map<String, Integer> partitionsWithProducers(String topic)
      throws IOException, InterruptedException {
    JsonNode stats = get(path(topic) + "/partitioned-stats?perPartition=true").path("partitions");
    Map<String, Integer> byBroker = new TreeMap<>();
    for (Iterator<String> names = stats.fieldNames(); names.hasNext(); ) {
      String partition = names.next();
      if (!stats.path(partition).path("publishers").isEmpty()) {
        byBroker.merge(owner(partition), 1, Integer::sum);
      }
    }
    return byBroker;
  }

  private String owner(String partition) throws IOException, InterruptedException {
    String lookup = first().adminUrl() + "/lookup/v2/topic/" + path(partition);
    return JSON.readTree(HTTP.get(lookup)).path("brokerUrl").asText();
  }

  /** What has been persisted: entries of all partitions. */
  public long entries(String topic) throws IOException, InterruptedException {
    long entries = 0;
    for (JsonNode partition : get(path(topic) + "/partitioned-internalStats").path("partitions")) {
      entries += partition.path("entriesAddedCounter").asLong();
    }
    return entries;
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return JSON.readTree(HTTP.get(admin(path)));
  }

  private static String path(String topic) {
    return topic.replace("://", "/");
  }

  private String admin(String path) {
    return first().adminUrl() + "/admin/v2/" + path;
  }

  private PulsarProcess first() {
    return cluster.brokers().get(0);
  }

  /** For clients: the first broker. */
  public String serviceUrl() {
    return first().serviceUrl();
  }

  /** Where clients connect to. */
  public Set<Integer> ports() {
    return cluster.brokers().stream()
        .map(broker -> URI.create(broker.serviceUrl()).getPort())
        .collect(Collectors.toSet());
  }

  /** The brokers' processes. */
  public List<ProcessHandle> processes() {
    return cluster.brokers().stream()
        .map(broker -> ProcessHandle.of(broker.pid()).orElseThrow())
        .toList();
  }

  /** Live objects of all brokers, after a garbage collection. */
  public long liveHeapBytes() throws IOException {
    long bytes = 0;
    for (ProcessHandle process : processes()) {
      bytes += new Jcmd(process).classHistogram().totalBytes();
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
