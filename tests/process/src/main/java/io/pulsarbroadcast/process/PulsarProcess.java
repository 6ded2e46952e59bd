/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An unmodified Pulsar in a process of its own, installed as an operator would: a standalone one,
 * or a part of a {@link PulsarCluster}. One thread at a time may call it; {@link #kill()}, {@link
 * #isAlive()} and {@link #close()} may also be called while another one waits in {@link #start()}.
 *
 * <p>Ports and data stay the same from one start to the next. Nothing is left behind after {@link
 * #close()}, nor when this JVM ends in any other way: a shutdown hook and a {@link Watchdog} see to
 * that.
 */
public final class PulsarProcess implements RunningBroker, AutoCloseable {
  /** In the folder of kept logs; per launch the time, the instance, and "start" or "again". */
  static final String STARTS_FILE = "starts.log";

  static final String HOST = "127.0.0.1";
  private static final long POLL_MILLIS = 100;
  private static final int LOG_TAIL_LINES = 30;
  private static final int MAX_LAUNCHES = 5;
  private static final String TRANSACTIONS = "transactionCoordinatorEnabled";

  private final PulsarProcessBuilder options;
  private final InstanceFolder folder;
  private final Watchdog watchdog;
  private final int brokerPort;
  private final int webPort;
  private final int bookiePort;
  private final Thread shutdownHook = new Thread(this::cleanUpAtExit, "pulsar-process-cleanup");
  private final Object lifecycle = new Object();
  private volatile Process process;
  private volatile LogFile logOfThisStart;
  private volatile boolean closed;

  private PulsarProcess(
      PulsarProcessBuilder options, InstanceFolder folder, Watchdog watchdog, int[] ports) {
    this.options = options;
    this.folder = folder;
    this.watchdog = watchdog;
    this.brokerPort = ports[0];
    this.webPort = ports[1];
    this.bookiePort = ports[2];
  }

  /** Options with their defaults. */
  public static PulsarProcessBuilder builder() {
    return new PulsarProcessBuilder();
  }

  static PulsarProcess create(PulsarProcessBuilder options) throws IOException {
    Path root = Files.createTempDirectory("pulsar-broadcast-" + options.name + "-").toRealPath();
    Watchdog watchdog = Watchdog.over(root);
    try {
      InstanceFolder folder =
          InstanceFolder.fill(
              root, options.pulsarHome, options.classPath == null, options.role.conf);
      if (options.classPath == null && options.jarsInPlace) {
        folder.unlinkJars();
      }
      PulsarProcess pulsar = new PulsarProcess(options, folder, watchdog, FreePorts.find(3));
      pulsar.configure();
      Runtime.getRuntime().addShutdownHook(pulsar.shutdownHook);
      return pulsar;
    } catch (IOException | RuntimeException e) {
      Folders.delete(root);
      watchdog.dismiss();
      throw e;
    }
  }

  private void configure() throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("brokerServicePort", Integer.toString(brokerPort));
    settings.put("webServicePort", Integer.toString(webPort));
    settings.put("bindAddress", HOST);
    settings.put("advertisedAddress", HOST);
    // Without it the bookie ignores --bookkeeper-port and takes a port that clients may be given
    // too.
    settings.put("allowEphemeralPorts", "true");
    settings.put("narExtractionDirectory", folder.extractedNars().toString());
    folder.configure(settings);
    if (options.nar != null) {
      folder.installNar(options.nar);
    }
    folder.configure(options.settings);
  }

  /**
   * Starts the broker and returns when it is ready to be used. A start after a crash is made again
   * when stock Pulsar fails in it (see {@link LogFile#showsRegistrationLoop}).
   *
   * @throws IOException with the end of the log when it ends early or takes too long; it is then
   *     killed
   */
  public PulsarProcess start() throws IOException, InterruptedException {
    for (int launches = 1; ; launches++) {
      launch();
      noteLaunch(launches);
      try {
        if (awaitReady(process)) {
          return this;
        }
      } catch (IOException | InterruptedException e) {
        kill();
        throw e;
      }
      kill();
      if (launches == MAX_LAUNCHES) {
        throw new IOException(
            "the bookie renewed its registration for ever in each of "
                + launches
                + " starts (apache/pulsar#25001); log: "
                + logFile());
      }
    }
  }

  private void launch() throws IOException {
    synchronized (lifecycle) {
      requireIdle();
      launch(new LaunchCommand(options, folder, bookiePort).build());
    }
  }

  private void requireIdle() {
    if (closed) {
      throw new IllegalStateException("Pulsar in " + folder.root() + " is closed");
    }
    if (isAlive()) {
      throw new IllegalStateException("Pulsar runs already, process " + pid());
    }
  }

  private void launch(ProcessBuilder command) throws IOException {
    logOfThisStart = LogFile.fromNow(logFile());
    process = command.start();
    watchdog.watch(process.pid());
  }

  /**
   * Carries out a command of {@code bin/pulsar} that ends by itself, while this one is not started;
   * its output is logged.
   */
  void run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(folder.root().resolve("bin/pulsar").toString());
    command.addAll(arguments);
    synchronized (lifecycle) {
      requireIdle();
      launch(LaunchCommand.of(folder, command, options.javaHome, List.of("-Xmx256m")));
    }
    try {
      if (process.waitFor(options.startTimeout.toMillis(), TimeUnit.MILLISECONDS)
          && process.exitValue() == 0) {
        return;
      }
    } finally {
      kill();
    }
    throw new IOException(
        "bin/pulsar %s failed. End of its log %s:%n%s"
            .formatted(
                arguments.get(0),
                logFile(),
                String.join(System.lineSeparator(), logOfThisStart.tail(LOG_TAIL_LINES))));
  }

  /** A line for each launch, for those who count them; a log alone does not show them all. */
  private void noteLaunch(int launches) throws IOException {
    if (options.keepLogs != null) {
      Files.createDirectories(options.keepLogs);
      Files.writeString(
          options.keepLogs.resolve(STARTS_FILE),
          "%s %s %s%n"
              .formatted(
                  Instant.now(), folder.root().getFileName(), launches == 1 ? "start" : "again"),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  /** Returns true when the broker can be used, false when its bookie never could be. */
  private boolean awaitReady(Process started) throws IOException, InterruptedException {
    boolean transactions = "true".equals(options.settings.get(TRANSACTIONS));
    ReadinessCheck check = new ReadinessCheck(adminUrl(), options.adminToken, transactions);
    long startNanos = System.nanoTime();
    while (true) {
      boolean ready =
          options.role == PulsarProcessBuilder.Role.STORAGE
              ? FreePorts.takesConnections(HOST, bookiePort)
              : check.isReady();
      if (logOfThisStart.showsRegistrationLoop()) {
        return false;
      }
      if (ready) {
        return true;
      }
      if (!started.isAlive()) {
        throw failure("ended with code " + started.exitValue(), startNanos);
      }
      if (System.nanoTime() - startNanos > options.startTimeout.toNanos()) {
        throw failure("is not ready (limit: startTimeout)", startNanos);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private IOException failure(String what, long startNanos) {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
    String newLine = System.lineSeparator();
    List<String> errors = logOfThisStart.errors();
    return new IOException(
        "Pulsar %s after %.1f s.%s%nEnd of its log %s:%n%s"
            .formatted(
                what,
                elapsed.toMillis() / 1000.0,
                errors.isEmpty()
                    ? ""
                    : newLine + "It logged: " + String.join(newLine + "  ", errors),
                logFile(),
                String.join(newLine, logOfThisStart.tail(LOG_TAIL_LINES))));
  }

  /** Ends the broker at once (SIGKILL) as a crash would, and returns when it has ended. */
  public void kill() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      awaitExit(running);
    }
  }

  /** Ends the broker in order (SIGTERM), or kills it when that takes longer than allowed. */
  public void stop() {
    Process running = process;
    if (running == null) {
      return;
    }
    running.destroy();
    try {
      if (!running.waitFor(options.stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
        running.destroyForcibly();
      }
    } catch (InterruptedException e) {
      running.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    awaitExit(running);
  }

  private void awaitExit(Process ending) {
    ProcessExit.await(ending);
    watchdog.processGone();
  }

  /** Takes the NAR and its line out, as the uninstall guide says; it counts from the next start. */
  public void removeNar() throws IOException {
    folder.removeNar();
  }

  /** Puts a NAR and its line in, replacing an earlier version; it counts from the next start. */
  public void installNar(Path nar) throws IOException {
    folder.installNar(nar);
  }

  /** Changes a line of standalone.conf; it counts from the next start. */
  public void setting(String key, String value) throws IOException {
    folder.configure(Map.of(key, value));
  }

  /** Takes a line out of standalone.conf; it counts from the next start. */
  public void removeSetting(String key) throws IOException {
    folder.removeSetting(key);
  }

  /** Whether it is one of those that were given to {@link PulsarProcessBuilder#jvmOption}. */
  public boolean hasJvmOption(String option) {
    return options.jvmOptions.contains(option);
  }

  public boolean isAlive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  /** The process id of the last start. */
  public long pid() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("Pulsar has not been started");
    }
    return running.pid();
  }

  @Override
  public String serviceUrl() {
    return "pulsar://" + HOST + ":" + brokerPort;
  }

  @Override
  public String adminUrl() {
    return "http://" + HOST + ":" + webPort;
  }

  /** Everything the broker has written since the instance folder was made. */
  public Path logFile() {
    return folder.logFile();
  }

  /** The folder that serves as PULSAR_HOME; it is deleted by {@link #close()}. */
  public Path instanceFolder() {
    return folder.root();
  }

  /**
   * Ends the broker at once, keeps the logs if asked to, and deletes the instance folder. Call
   * {@link #stop()} first to see an orderly end; it takes some six seconds.
   */
  @Override
  public void close() throws IOException {
    synchronized (lifecycle) {
      if (closed) {
        return;
      }
      closed = true;
    }
    kill();
    try {
      keepLogs();
    } finally {
      Folders.delete(folder.root());
      watchdog.dismiss();
      removeShutdownHook();
    }
  }

  private void keepLogs() throws IOException {
    if (options.keepLogs != null && Files.isDirectory(folder.logs())) {
      Folders.copy(folder.logs(), options.keepLogs.resolve(folder.root().getFileName()));
    }
  }

  private void removeShutdownHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook finds nothing left to do.
    }
  }

  private void cleanUpAtExit() {
    synchronized (lifecycle) {
      closed = true;
    }
    kill();
    try {
      keepLogs();
      Folders.delete(folder.root());
    } catch (IOException e) {
      // The watchdog deletes what is left as soon as this JVM is gone.
    }
  }
}
