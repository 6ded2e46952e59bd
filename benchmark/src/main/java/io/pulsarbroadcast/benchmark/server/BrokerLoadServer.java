/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.process.PulsarProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A broker as a server that load is put on. One thread at a time may call it. */
public final class BrokerLoadServer implements LoadServer {
  private static final long TICK_MILLIS = 100;
  private static final int ADMIN_TIMEOUT_MILLIS = 120_000;
  private static final String DIRECT_MEMORY_METRIC = "jvm_memory_direct_bytes_used";
  private static final String PERSISTENT = "persistent://";

  private final String name;
  private final PulsarProcess process;

  private BrokerLoadServer(String name, PulsarProcess process) {
    this.name = name;
    this.process = process;
  }

  /** Starts a broker that was set up, showing how long that takes. Closes it when that fails. */
  public static BrokerLoadServer start(String name, PulsarProcess process, RunListener listener)
      throws IOException, InterruptedException {
    try {
      showing(process, listener);
      return new BrokerLoadServer(name, process);
    } catch (IOException | InterruptedException e) {
      process.close();
      throw e;
    }
  }

  /** Starts a broker and calls the listener meanwhile. */
  public static void showing(PulsarProcess process, RunListener listener)
      throws IOException, InterruptedException {
    listener.phaseStarted("start broker", 1);
    CountDownLatch started = new CountDownLatch(1);
    Thread ticker =
        new Thread(
            () -> {
              try {
                while (!started.await(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
                  listener.progress(0);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "start-progress");
    ticker.setDaemon(true);
    ticker.start();
    try {
      process.start();
    } finally {
      started.countDown();
      ticker.join();
    }
    listener.progress(1);
    listener.phaseEnded();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String serviceUrl() {
    return process.serviceUrl();
  }

  @Override
  public ProcessHandle process() {
    return ProcessHandle.of(process.pid())
        .orElseThrow(() -> new IllegalStateException("The broker's process has ended"));
  }

  /** Deletes the topic with all its subscriptions. */
  @Override
  public void forget(String topic) throws IOException {
    if (!topic.startsWith(PERSISTENT)) {
      throw new IllegalArgumentException(topic + "; allowed: " + PERSISTENT + "...");
    }
    String path = "/admin/v2/persistent/" + topic.substring(PERSISTENT.length()) + "?force=true";
    HttpURLConnection connection = connect(path);
    connection.setRequestMethod("DELETE");
    try {
      int status = connection.getResponseCode();
      if (status >= 300 && status != HttpURLConnection.HTTP_NOT_FOUND) {
        throw new IOException("Deleting " + topic + " failed with status " + status);
      }
    } finally {
      connection.disconnect();
    }
  }

  /** Direct memory in use by Netty's pools, as the broker's metrics say; empty when they do not. */
  public OptionalLong directMemoryBytes() throws IOException {
    HttpURLConnection connection = connect("/metrics/");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> line.startsWith(DIRECT_MEMORY_METRIC))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .findFirst();
    } finally {
      connection.disconnect();
    }
  }

  private HttpURLConnection connect(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(process.adminUrl() + path).toURL().openConnection();
    connection.setConnectTimeout(ADMIN_TIMEOUT_MILLIS);
    connection.setReadTimeout(ADMIN_TIMEOUT_MILLIS);
    return connection;
  }

  /** Saves what the broker has logged, which is deleted with it otherwise. */
  public void keepLog(Path file) throws IOException {
    if (Files.exists(process.logFile())) {
      Files.copy(process.logFile(), file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
