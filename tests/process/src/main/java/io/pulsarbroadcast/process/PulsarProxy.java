/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The distribution's {@code bin/pulsar proxy} in a process of its own, in front of one broker. One
 * thread at a time may call it.
 *
 * <p>Nothing is left behind after {@link #close()}, nor, thanks to a {@link Watchdog}, when this
 * JVM ends in any other way.
 */
public final class PulsarProxy implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
  private static final long POLL_MILLIS = 100;
  private static final int LOG_TAIL_LINES = 30;
  private static final List<String> MEMORY =
      List.of("-Xms64m", "-Xmx256m", "-XX:MaxDirectMemorySize=256m");

  private final InstanceFolder folder;
  private final Watchdog watchdog;
  private final int port;
  private final int webPort;
  private final Path keepLogs;
  private Process process;

  private PulsarProxy(InstanceFolder folder, Watchdog watchdog, int[] ports, Path keepLogs) {
    this.folder = folder;
    this.watchdog = watchdog;
    this.port = ports[0];
    this.webPort = ports[1];
    this.keepLogs = keepLogs;
  }

  /**
   * Starts a proxy and returns when it takes connections.
   *
   * @param pulsarHome the unpacked distribution, which is never written to
   * @param settings lines of proxy.conf
   * @param keepLogs a folder into which {@link #close()} copies the logs
   * @throws IOException with the end of the log when it does not start
   */
  public static PulsarProxy start(
      Path pulsarHome, RunningBroker broker, Map<String, String> settings, Path keepLogs)
      throws IOException, InterruptedException {
    Path root = Files.createTempDirectory("pulsar-broadcast-proxy-").toRealPath();
    int[] ports = FreePorts.find(2);
    PulsarProxy proxy =
        new PulsarProxy(
            InstanceFolder.fill(root, pulsarHome, true), Watchdog.over(root), ports, keepLogs);
    try {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("clusterName", "standalone");
      all.put("servicePort", Integer.toString(ports[0]));
      all.put("webServicePort", Integer.toString(ports[1]));
      all.put("bindAddress", PulsarProcess.HOST);
      all.put("advertisedAddress", PulsarProcess.HOST);
      all.put("brokerServiceURL", broker.serviceUrl());
      all.put("brokerWebServiceURL", broker.adminUrl());
      all.put("brokerProxyAllowedTargetPorts", "*");
      all.putAll(settings);
      ConfFile.edit(root.resolve("conf/proxy.conf"), conf -> conf.putAll(all));
      proxy.launch();
      return proxy;
    } catch (IOException | InterruptedException | RuntimeException e) {
      proxy.close();
      throw e;
    }
  }

  private void launch() throws IOException, InterruptedException {
    process =
        LaunchCommand.of(
                folder,
                List.of(folder.root().resolve("bin/pulsar").toString(), "proxy"),
                Path.of(System.getProperty("java.home")),
                MEMORY)
            .start();
    watchdog.watch(process.pid());
    long startNanos = System.nanoTime();
    while (!FreePorts.takesConnections(PulsarProcess.HOST, webPort)) { // the last that it opens
      if (!process.isAlive() || System.nanoTime() - startNanos > START_TIMEOUT.toNanos()) {
        throw new IOException(
            "The proxy %s. End of its log:%n%s"
                .formatted(
                    process.isAlive() ? "takes too long to start" : "has ended",
                    String.join(
                        System.lineSeparator(),
                        LogFile.all(folder.logFile()).tail(LOG_TAIL_LINES))));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** For clients, instead of the broker's. */
  public String serviceUrl() {
    return "pulsar://" + PulsarProcess.HOST + ":" + port;
  }

  /** For admin calls, instead of the broker's. */
  public String adminUrl() {
    return "http://" + PulsarProcess.HOST + ":" + webPort;
  }

  /** Ends the proxy at once, keeps its logs and deletes its folder. */
  @Override
  public void close() throws IOException {
    if (process != null) {
      ProcessExit.await(process.destroyForcibly());
      watchdog.processGone();
    }
    try {
      Folders.copy(folder.logs(), keepLogs.resolve(folder.root().getFileName()));
    } finally {
      Folders.delete(folder.root());
      watchdog.dismiss();
    }
  }
}
