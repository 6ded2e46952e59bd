/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a {@link PulsarProcess}. One thread at a time may call it. */
public final class PulsarProcessBuilder {
  static final int INITIAL_HEAP_MEGABYTES = 256;

  /** What is started: everything in one, or a part of a {@link PulsarCluster}. */
  enum Role {
    STANDALONE("standalone.conf"),
    /** A ZooKeeper and a bookie. */
    STORAGE("standalone.conf"),
    BROKER("broker.conf");

    final String conf;

    Role(String conf) {
      this.conf = conf;
    }
  }

  Path pulsarHome;
  Path nar;
  String name = "pulsar";
  String classPath;
  Path javaHome = Path.of(System.getProperty("java.home"));
  int heapMegabytes = 1024;
  int directMegabytes = 2048;
  Duration startTimeout = Duration.ofMinutes(5);
  Duration stopTimeout = Duration.ofMinutes(1);
  Path keepLogs;
  boolean lightJvm;
  boolean jarsInPlace;
  String adminToken;
  Role role = Role.STANDALONE;

  /** Of {@link Role#STORAGE}. */
  int zookeeperPort;

  final Map<String, String> settings = new LinkedHashMap<>();
  final Map<String, String> environment = new LinkedHashMap<>();
  final List<String> jvmOptions = new ArrayList<>();

  PulsarProcessBuilder() {}

  /** The same options but for its role and name. */
  PulsarProcessBuilder part(Role part, String partName) {
    PulsarProcessBuilder copy = new PulsarProcessBuilder();
    copy.pulsarHome = pulsarHome;
    copy.nar = part == Role.STORAGE ? null : nar;
    copy.name = name + "-" + partName;
    copy.javaHome = javaHome;
    copy.heapMegabytes = heapMegabytes;
    copy.directMegabytes = directMegabytes;
    copy.startTimeout = startTimeout;
    copy.stopTimeout = stopTimeout;
    copy.keepLogs = keepLogs;
    copy.lightJvm = lightJvm;
    copy.role = part;
    copy.environment.putAll(environment);
    copy.jvmOptions.addAll(jvmOptions);
    copy.settings.putAll(settings);
    return copy;
  }

  /** The unpacked distribution; it is never written to. Required, also with a class path. */
  public PulsarProcessBuilder pulsarHome(Path home) {
    this.pulsarHome = home;
    return this;
  }

  /** The plugin to install, or null for a plain broker (the default). */
  public PulsarProcessBuilder nar(Path file) {
    this.nar = file;
    return this;
  }

  /** A line of standalone.conf, or of a cluster's broker.conf; it replaces that key's. */
  public PulsarProcessBuilder setting(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /** The same, unless that key was set before. */
  public PulsarProcessBuilder settingIfAbsent(String key, String value) {
    settings.putIfAbsent(key, value);
    return this;
  }

  /** Upper limit of the broker's heap; 1024 when not set. */
  public PulsarProcessBuilder heapMegabytes(int megabytes) {
    this.heapMegabytes = megabytes;
    return this;
  }

  /** Upper limit of the broker's direct memory, bookie included; 2048 when not set. */
  public PulsarProcessBuilder directMegabytes(int megabytes) {
    this.directMegabytes = megabytes;
    return this;
  }

  /** The JDK to run the broker with; the one that runs this program when not set. */
  public PulsarProcessBuilder javaHome(Path home) {
    this.javaHome = home;
    return this;
  }

  /**
   * A JVM that starts soon and leaves the processor to others: client compiler and serial collector
   * instead of the distribution's. For tests of what a broker does, not of how fast.
   */
  public PulsarProcessBuilder lightJvm() {
    this.lightJvm = true;
    return this;
  }

  /**
   * The class path names the distribution's jars where they are and no folder with files, instead
   * of those in the instance folder: then one class data archive of the JVM fits all instances.
   */
  public PulsarProcessBuilder jarsInPlace() {
    this.jarsInPlace = true;
    return this;
  }

  /** One more option of the broker's JVM. It must not contain a space. */
  public PulsarProcessBuilder jvmOption(String option) {
    jvmOptions.add(option);
    return this;
  }

  /** An environment variable of bin/pulsar, for example PULSAR_GC. */
  public PulsarProcessBuilder environment(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Part of the instance folder's name, so that one can tell several brokers apart. */
  public PulsarProcessBuilder name(String instanceName) {
    this.name = instanceName;
    return this;
  }

  /**
   * Starts {@code org.apache.pulsar.PulsarStandaloneStarter} from these jars instead of bin/pulsar,
   * for versions of which there is no distribution; null for bin/pulsar (the default). Only {@code
   * conf/} is then taken from the Pulsar home.
   */
  public PulsarProcessBuilder classPath(String jars) {
    this.classPath = jars;
    return this;
  }

  /** How long {@link PulsarProcess#start()} waits for the broker; five minutes when not set. */
  public PulsarProcessBuilder startTimeout(Duration timeout) {
    this.startTimeout = timeout;
    return this;
  }

  /** How long {@link PulsarProcess#stop()} waits before it kills; a minute when not set. */
  public PulsarProcessBuilder stopTimeout(Duration timeout) {
    this.stopTimeout = timeout;
    return this;
  }

  /**
   * A folder into which {@link PulsarProcess#close()} copies the logs, and where {@code starts.log}
   * gets a line for each launch; not kept when not set.
   */
  public PulsarProcessBuilder keepLogs(Path folder) {
    this.keepLogs = folder;
    return this;
  }

  /** What {@link PulsarProcess#start()} shows a broker that authenticates; a token, not a file. */
  public PulsarProcessBuilder adminToken(String token) {
    this.adminToken = token;
    return this;
  }

  /** Makes the instance folder. Nothing runs before {@link PulsarProcess#start()}. */
  public PulsarProcess build() throws IOException {
    if (pulsarHome == null) {
      throw new IllegalArgumentException("pulsarHome is not set");
    }
    requireFile(pulsarHome.resolve("conf").resolve(role.conf), "pulsarHome");
    if (classPath == null) {
      requireFile(pulsarHome.resolve("bin/pulsar"), "pulsarHome");
    }
    if (nar != null) {
      requireFile(nar, "nar");
    }
    requireFile(javaHome.resolve("bin/java"), "javaHome");
    requireAtLeast("heapMegabytes", heapMegabytes, 256);
    requireAtLeast("directMegabytes", directMegabytes, 128);
    return PulsarProcess.create(this);
  }

  private static void requireFile(Path file, String option) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(option + ": there is no file " + file);
    }
  }

  private static void requireAtLeast(String option, int value, int lowest) {
    if (value < lowest) {
      throw new IllegalArgumentException(
          "%s is %d; allowed: %d and above".formatted(option, value, lowest));
    }
  }
}
