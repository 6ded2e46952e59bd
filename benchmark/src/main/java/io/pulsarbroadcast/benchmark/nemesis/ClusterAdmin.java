/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.cluster.Node;
import io.pulsarbroadcast.cluster.PulsarContainers;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The admin API of a cluster, asked of its first broker unless another is named. One thread may
 * call it; what fails throws an {@link IOException}.
 */
final class ClusterAdmin {
  static final String TENANT = "nemesis";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONFLICT = 409;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final BrokerHttp http = new BrokerHttp(TIMEOUT, null, Map::of);

  /** For what hangs where a broker does not answer. */
  private final BrokerHttp impatient = new BrokerHttp(Duration.ofSeconds(3), null, Map::of);

  private final PulsarContainers containers;

  ClusterAdmin(PulsarContainers containers) {
    this.containers = containers;
  }

  private static String url(Node broker, String path) {
    return "http://" + broker.address() + ":" + PulsarContainers.WEB_PORT + path;
  }

  private Node firstBroker() {
    return containers.brokers().get(0);
  }

  private void put(String path, String json) throws IOException, InterruptedException {
    http.put(url(firstBroker(), "/admin/v2/" + path), json, CONFLICT);
  }

  /** Creates topics, each alone in a namespace of its own, which has one bundle. */
  void createTopics(List<String> topics) throws IOException, InterruptedException {
    put("tenants/" + TENANT, "{\"allowedClusters\":[\"%s\"]}".formatted(PulsarContainers.NAME));
    for (String topic : topics) {
      put("namespaces/" + namespace(topic), "{\"bundles\":{\"numBundles\":1}}");
      put(path(topic), "{}");
    }
  }

  /** {@code tenant/namespace}. */
  static String namespace(String topic) {
    String name = topic.substring("persistent://".length());
    return name.substring(0, name.lastIndexOf('/'));
  }

  private static String path(String topic) {
    return topic.replace("://", "/");
  }

  /** The broker that has the topic, as another broker says. */
  Node owner(String topic, Node asked) throws IOException, InterruptedException {
    String answer = impatient.get(url(asked, "/lookup/v2/topic/" + path(topic)));
    return containers.at(URI.create(JSON.readTree(answer).path("brokerUrl").asText()).getHost());
  }

  Node owner(String topic) throws IOException, InterruptedException {
    return owner(topic, firstBroker());
  }

  /** {@code 0x00000000_0xffffffff}. */
  String bundle(String topic) throws IOException, InterruptedException {
    return http.get(url(firstBroker(), "/lookup/v2/topic/" + path(topic) + "/bundle"));
  }

  /** Unloads the topic's bundle; where it goes, if that is not null. */
  void unload(String topic, Node to) throws IOException, InterruptedException {
    http.send(
        "PUT",
        url(
            firstBroker(),
            "/admin/v2/namespaces/%s/%s/unload%s"
                .formatted(
                    namespace(topic),
                    bundle(topic),
                    to == null
                        ? ""
                        : "?destinationBroker=" + to.address() + ":" + PulsarContainers.WEB_PORT)));
  }

  /** Splits the topic's bundle, and unloads what it becomes. */
  void split(String topic) throws IOException, InterruptedException {
    http.send(
        "PUT",
        url(
            firstBroker(),
            "/admin/v2/namespaces/%s/%s/split?unload=true"
                .formatted(namespace(topic), bundle(topic))));
  }

  String markDelete(String topic, String subscription) throws IOException, InterruptedException {
    JsonNode stats =
        JSON.readTree(
            impatient.get(url(firstBroker(), "/admin/v2/" + path(topic) + "/internalStats")));
    JsonNode position = stats.path("cursors").path(subscription).path("markDeletePosition");
    if (position.isMissingNode()) {
      throw new IOException("%s has no cursor %s".formatted(topic, subscription));
    }
    return position.asText();
  }

  MetricsPage metrics(Node broker) throws IOException, InterruptedException {
    return MetricsPage.parse(impatient.get(url(broker, "/metrics/")));
  }

  boolean isReady(Node broker) throws InterruptedException {
    return answers(broker, "/admin/v2/brokers/ready");
  }

  private boolean answers(Node broker, String path) throws InterruptedException {
    try {
      impatient.get(url(broker, path));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
