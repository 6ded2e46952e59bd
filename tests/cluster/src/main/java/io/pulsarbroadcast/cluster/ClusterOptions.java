/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.cluster;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;

/** What a cluster is made of; set by one thread before it starts. */
public final class ClusterOptions {
  final Future<String> image;
  int brokers = 2;
  int bookies = 2;
  int writeQuorum = 2;
  int ackQuorum = 2;
  boolean proxy;
  Path logs;
  int storageMegabytes = 256;
  int brokerHeapMegabytes = 256;
  int brokerDirectMegabytes = 256;
  final Map<String, String> brokerSettings = new LinkedHashMap<>();
  final Map<String, String> bookieSettings = new LinkedHashMap<>();
  final Map<String, Map<String, Path>> folders = new LinkedHashMap<>();

  /** {@code image}: Pulsar with the plugin. */
  public ClusterOptions(Future<String> image) {
    this.image = image;
  }

  public ClusterOptions brokers(int count) {
    this.brokers = count;
    return this;
  }

  /** As many, and each entry on so many of them. */
  public ClusterOptions bookies(int count, int entryCopies, int entryAcks) {
    this.bookies = count;
    this.writeQuorum = entryCopies;
    this.ackQuorum = entryAcks;
    return this;
  }

  /** With a proxy, through which machines get in that do not reach the cluster's network. */
  public ClusterOptions proxy() {
    this.proxy = true;
    return this;
  }

  /** Where the logs of all parts are kept when it is closed. */
  public ClusterOptions keepLogs(Path folder) {
    this.logs = folder;
    return this;
  }

  /** Of each broker. */
  public ClusterOptions brokerMegabytes(int heap, int direct) {
    this.brokerHeapMegabytes = heap;
    this.brokerDirectMegabytes = direct;
    return this;
  }

  /** Heap of ZooKeeper and of each bookie, and their direct memory. */
  public ClusterOptions storageMegabytes(int megabytes) {
    this.storageMegabytes = megabytes;
    return this;
  }

  public ClusterOptions brokerSetting(String key, String value) {
    brokerSettings.put(key, value);
    return this;
  }

  public ClusterOptions bookieSetting(String key, String value) {
    bookieSettings.put(key, value);
    return this;
  }

  /** A folder of this machine that a node has instead of its own. */
  public ClusterOptions folder(String node, String inContainer, Path here) {
    folders.computeIfAbsent(node, name -> new LinkedHashMap<>()).put(inContainer, here);
    return this;
  }
}
