/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import io.pulsarbroadcast.cluster.PulsarContainers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The cluster that is disturbed, with the topics under load. One thread may call it, unless a
 * method says otherwise.
 */
final class NemesisCluster {
  /** What a broker logs that serves from now on. */
  private static final String READY = "messaging service is ready";

  private static final Duration READY_TIMEOUT = Duration.ofMinutes(2);
  private static final int CONNECT_MILLIS = 1_000;

  private final PulsarContainers containers;
  private final Disks disks;
  private final ClusterAdmin admin;
  private final List<String> topics;
  private final Map<String, RecordedTopic> load = new LinkedHashMap<>();

  /** Where the log of each broker ended when it was started last, unless a fault has ended it. */
  private final Map<Node, LogMark> starts = new HashMap<>();

  /** What a fault ends, until it runs again. The watch reads it, too. */
  private final Set<Node> ending = ConcurrentHashMap.newKeySet();

  private final List<String> crashed = new ArrayList<>();

  NemesisCluster(PulsarContainers containers, Disks disks, List<String> topics) {
    this.containers = containers;
    this.disks = disks;
    this.admin = new ClusterAdmin(containers);
    this.topics = topics;
    brokers().forEach(broker -> starts.put(broker, LogMark.first(broker)));
  }

  ClusterAdmin admin() {
    return admin;
  }

  Disks disks() {
    return disks;
  }

  List<String> topics() {
    return topics;
  }

  /** The topic is under load now. */
  void loaded(RecordedTopic topic) {
    load.put(topic.name(), topic);
  }

  /** How often the broker has closed consumers of the topic. */
  int closedByBroker(String topic) {
    return load.get(topic).closedByBroker();
  }

  /**
   * Whether nothing has been stored in the topic for a while since then, although it is published.
   */
  boolean isPublishingStuck(String topic, long sinceNanos) {
    return load.get(topic).isPublishingStuck(sinceNanos);
  }

  List<Node> brokers() {
    return containers.brokers();
  }

  List<Node> bookies() {
    return containers.bookies();
  }

  Node zookeeper() {
    return containers.node(PulsarContainers.ZOOKEEPER);
  }

  /** Where clients connect: to any broker. */
  String serviceUrl() {
    return brokers().stream()
        .map(broker -> broker.address() + ":" + PulsarContainers.BROKER_PORT)
        .collect(Collectors.joining(",", "pulsar://", ""));
  }

  /** Creates the topics, and deals them out to the brokers. */
  void createTopics() throws IOException, InterruptedException {
    awaitReady();
    admin.createTopics(topics);
    for (int i = 0; i < topics.size(); i++) {
      move(topics.get(i), brokers().get(i % brokers().size()));
    }
  }

  /** Unloads a topic until it is at a broker: where it is to go is a wish. */
  void move(String topic, Node to) throws IOException, InterruptedException {
    Wait.until(
        READY_TIMEOUT,
        topic + " at " + to.name(),
        () -> {
          if (admin.owner(topic) == to) {
            return true;
          }
          admin.unload(topic, to);
          return admin.owner(topic) == to;
        });
  }

  String anyTopic(Random random) {
    return topics.get(random.nextInt(topics.size()));
  }

  /** A broker that has one of the topics. */
  Node anyOwner(Random random) throws IOException, InterruptedException {
    return awaitOwner(anyTopic(random));
  }

  /** The broker that has the topic, as soon as somebody says so. */
  private Node awaitOwner(String topic) throws IOException, InterruptedException {
    List<Node> owner = new ArrayList<>();
    Wait.until(READY_TIMEOUT, "an owner of " + topic, () -> owner.add(admin.owner(topic)));
    return owner.get(0);
  }

  Node anyBookie(Random random) {
    return bookies().get(random.nextInt(bookies().size()));
  }

  /** Another broker than this. */
  Node other(Node broker, int which) {
    List<Node> others = brokers().stream().filter(each -> each != broker).toList();
    return others.get(Math.floorMod(which, others.size()));
  }

  /** The topics that a broker has. */
  List<String> topicsOf(Node broker) throws IOException, InterruptedException {
    List<String> owned = new ArrayList<>();
    for (String topic : topics) {
      if (awaitOwner(topic) == broker) {
        owned.add(topic);
      }
    }
    return owned;
  }

  /** Whether a broker that answers says that others have all these topics. */
  boolean areElsewhere(List<String> some, Node broker) throws IOException, InterruptedException {
    Node asked = other(broker, 0);
    for (String topic : some) {
      if (admin.owner(topic, asked) == broker) {
        return false;
      }
    }
    return true;
  }

  /** What does not run and can be started, in the order in which it is to be. */
  List<Node> ended() {
    return nodes().stream().filter(node -> !node.isRunning() && isStartable(node)).toList();
  }

  /**
   * A bookie that finds the registration of its last process may be without one later, for ever.
   */
  private boolean isStartable(Node node) {
    try {
      return !bookies().contains(node) || !(isListed(node) || isListedReadOnly(node));
    } catch (IOException e) {
      return false; // Without ZooKeeper it would end again.
    }
  }

  /** What is wrong with each, for people. */
  String describe(List<Node> unready) {
    return unready.stream()
        .map(
            node ->
                node.name()
                    + (node.isRunning()
                        ? " is not ready"
                        : node.wasKilled() ? " was killed" : " has ended by itself")
                    + (hasCrashed(node) ? " although it had its session" : ""))
        .collect(Collectors.joining(", "));
  }

  /** A fault is about to end it. */
  void ending(Node node) {
    ending.add(node);
    starts.remove(node);
  }

  /** Starts what has ended, as whoever runs a cluster does. */
  void start(List<Node> ended) throws IOException {
    for (Node node : ended) {
      start(node);
    }
  }

  private void start(Node node) throws IOException {
    if (hasCrashed(node)) {
      crashed.add(node.name());
    }
    if (brokers().contains(node)) {
      starts.put(node, new LogMark(node));
    }
    node.restart();
    ending.remove(node);
  }

  /** Whether some part does not run, and no fault has ended it. Any thread may ask. */
  boolean hasEndedByItself() {
    return nodes().stream()
        .anyMatch(
            node ->
                // Asked again, as it may be ended meanwhile.
                !ending.contains(node) && !node.isRunning() && !ending.contains(node));
  }

  /**
   * Whether it is a broker that has ended by itself after it was ready, and had its session:
   * without that, brokers are told to end. One that was killed was killed by its machine, which had
   * no memory left.
   */
  boolean hasCrashed(Node node) {
    LogMark start = starts.get(node);
    return start != null
        && !node.isRunning()
        && !node.wasKilled()
        && start.hasSince(READY)
        && Confirmation.SESSION_ENDS.stream().noneMatch(start::hasSince);
  }

  /** The brokers that have done so, one for each time. */
  List<String> crashed() {
    List<String> all = new ArrayList<>(crashed);
    brokers().stream().filter(this::hasCrashed).map(Node::name).forEach(all::add);
    return all;
  }

  /** ZooKeeper first: others end when they do not find it. */
  List<Node> nodes() {
    List<Node> all = new ArrayList<>();
    all.add(zookeeper());
    all.addAll(bookies());
    all.addAll(brokers());
    return all;
  }

  /** Returns when every part is ready; what has ended is started again. */
  void awaitReady() throws IOException, InterruptedException {
    for (Node node : nodes()) {
      awaitReady(node);
    }
  }

  /** What is not ready now. */
  List<Node> unready() throws InterruptedException {
    List<Node> unready = new ArrayList<>();
    for (Node node : nodes()) {
      try {
        if (isReady(node)) {
          continue;
        }
      } catch (IOException e) {
        // Nobody can say.
      }
      unready.add(node);
    }
    return unready;
  }

  /** Starts it again if it has ended, also by itself; returns when it is ready. */
  void awaitReady(Node node) throws IOException, InterruptedException {
    Wait.until(
        READY_TIMEOUT,
        node.name() + " to be ready",
        () -> {
          if (!node.isRunning() && isStartable(node)) {
            start(node);
          }
          return isReady(node);
        });
  }

  /** Whether ZooKeeper has the bookie among those that take entries. */
  boolean isListed(Node bookie) throws IOException {
    return hasEphemeral("/ledgers/available/", bookie);
  }

  private boolean isListedReadOnly(Node bookie) throws IOException {
    return hasEphemeral("/ledgers/available/readonly/", bookie);
  }

  private boolean hasEphemeral(String folder, Node bookie) throws IOException {
    return ZooKeeperDump.of(zookeeper())
        .hasEphemeral(folder + bookie.name() + ":" + PulsarContainers.BOOKIE_PORT);
  }

  /** Whether ZooKeeper has a session of the broker. */
  boolean isListedBroker(Node broker) throws IOException {
    return ZooKeeperDump.of(zookeeper())
        .hasEphemeral("/loadbalance/brokers/" + broker.address() + ":" + PulsarContainers.WEB_PORT);
  }

  private boolean isReady(Node node) throws IOException, InterruptedException {
    if (brokers().contains(node)) {
      // Until one that has lost its session hears of it, it takes what nobody will store.
      return admin.isReady(node) && isListedBroker(node);
    }
    return node == zookeeper()
        ? connects(node, PulsarContainers.ZOOKEEPER_PORT)
        : connects(node, PulsarContainers.BOOKIE_PORT) && isListed(node);
  }

  private static boolean connects(Node node, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(node.address(), port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
