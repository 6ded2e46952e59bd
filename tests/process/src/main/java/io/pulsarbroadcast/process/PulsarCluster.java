/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import io.pulsarbroadcast.process.PulsarProcessBuilder.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Unmodified brokers of one cluster, each a process of its own, with one process for their
 * ZooKeeper and bookie. One thread at a time may call it.
 */
public final class PulsarCluster implements AutoCloseable {
  /** Its name for Pulsar. */
  public static final String NAME = "bench";

  private static final int MAX_STORAGE_HEAP_MEGABYTES = 512;

  private final PulsarProcess storage;
  private final List<PulsarProcess> brokers;

  private PulsarCluster(PulsarProcess storage, List<PulsarProcess> brokers) {
    this.storage = storage;
    this.brokers = brokers;
  }

  /**
   * Starts all, and returns when every broker is ready.
   *
   * @param options of each broker: heap, direct memory, and lines of {@code broker.conf}; without a
   *     class path
   * @throws IOException with the end of the log of what does not start; nothing is left then
   */
  public static PulsarCluster start(PulsarProcessBuilder options, int brokers)
      throws IOException, InterruptedException {
    if (brokers < 1) {
      throw new IllegalArgumentException("brokers is " + brokers + "; allowed: 1 or more");
    }
    int zookeeperPort = FreePorts.find(1)[0];
    PulsarProcessBuilder storageOptions =
        options
            .part(Role.STORAGE, "storage")
            .heapMegabytes(Math.min(options.heapMegabytes, MAX_STORAGE_HEAP_MEGABYTES))
            .environment("PULSAR_STANDALONE_USE_ZOOKEEPER", "1");
    storageOptions.zookeeperPort = zookeeperPort;
    PulsarCluster cluster = new PulsarCluster(storageOptions.build(), new ArrayList<>());
    try {
      cluster.start(options, brokers, "zk:" + PulsarProcess.HOST + ":" + zookeeperPort);
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void start(PulsarProcessBuilder options, int count, String metadataStore)
      throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      PulsarProcessBuilder broker = options.part(Role.BROKER, "broker-" + i);
      joining(metadataStore).forEach(broker.settings::putIfAbsent);
      brokers.add(broker.build());
    }
    storage.start();
    PulsarProcess first = brokers.get(0);
    first.run(
        List.of(
            "initialize-cluster-metadata",
            "--cluster",
            NAME,
            "--metadata-store",
            metadataStore,
            "--configuration-metadata-store",
            metadataStore,
            "--web-service-url",
            first.adminUrl(),
            "--broker-service-url",
            first.serviceUrl()));
    CompletableFuture<?>[] starts =
        brokers.stream().map(PulsarCluster::startAsync).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(starts).get();
    } catch (ExecutionException e) {
      throw new IOException("A broker of the cluster did not start: " + e.getCause(), e);
    }
  }

  private static CompletableFuture<Void> startAsync(PulsarProcess broker) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            broker.start();
          } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
          }
        },
        NewThread.named("start-broker"));
  }

  /** One bookie keeps one copy. */
  private static Map<String, String> joining(String metadataStore) {
    return Map.of(
        "clusterName",
        NAME,
        "metadataStoreUrl",
        metadataStore,
        "configurationMetadataStoreUrl",
        metadataStore,
        "managedLedgerDefaultEnsembleSize",
        "1",
        "managedLedgerDefaultWriteQuorum",
        "1",
        "managedLedgerDefaultAckQuorum",
        "1");
  }

  /** All of them, running. */
  public List<PulsarProcess> brokers() {
    return List.copyOf(brokers);
  }

  /** Ends all at once, and deletes their folders. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    List<PulsarProcess> all = new ArrayList<>(brokers);
    all.add(storage);
    for (PulsarProcess process : all) {
      try {
        process.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
