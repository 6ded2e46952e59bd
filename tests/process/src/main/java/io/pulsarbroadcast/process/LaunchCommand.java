/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command line and environment that start a Pulsar, by {@code bin/pulsar} or from a class path.
 * One thread at a time may call it.
 */
final class LaunchCommand {
  /** Variables of the caller that would change what {@code bin/pulsar} does. */
  private static final List<String> INHERITED_PREFIXES =
      List.of("PULSAR_", "BOOKIE_", "BK_", "BOOKKEEPER_");

  private static final List<String> INHERITED_NAMES = List.of("OPTS", "ZK_OPTS", "CLASSPATH");

  /** What conf/pulsar_env.sh adds when PULSAR_EXTRA_OPTS is not set, as it is here. */
  private static final List<String> DEFAULT_EXTRA_OPTIONS =
      List.of(
          "-Dpulsar.allocator.exit_on_oom=true", "-Dio.netty.recycler.maxCapacityPerThread=4096");

  /** The flags that bin/pulsar of Pulsar 3.x gives its JVM. */
  private static final List<String> JVM_FLAGS =
      List.of(
          "-Dlog4j.shutdownHookEnabled=false",
          "-Dlog4j2.is.webapp=false",
          "-Djute.maxbuffer=10485760",
          "-Djava.net.preferIPv4Stack=true",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dbookkeeper.metadata.bookie.drivers="
              + "org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver",
          "-Dbookkeeper.metadata.client.drivers="
              + "org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-opens=java.base/sun.net=ALL-UNNAMED",
          "--add-opens=java.management/sun.management=ALL-UNNAMED",
          "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.platform=ALL-UNNAMED");

  /** The collector of Pulsar 3.x, for a broker that is started without its script. */
  private static final List<String> DEFAULT_COLLECTOR =
      List.of("-XX:+UseZGC", "-XX:+PerfDisableSharedMem");

  private static final List<String> LIGHT_COLLECTOR_AND_COMPILER =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final PulsarProcessBuilder options;
  private final InstanceFolder folder;
  private final int bookiePort;

  LaunchCommand(PulsarProcessBuilder options, InstanceFolder folder, int bookiePort) {
    this.options = options;
    this.folder = folder;
    this.bookiePort = bookiePort;
  }

  /** Ready to start; output goes to the end of the log file. */
  ProcessBuilder build() throws IOException {
    List<String> command = options.classPath == null ? script() : java();
    ProcessBuilder process = of(folder, command, options.javaHome, memoryOptions());
    Map<String, String> environment = process.environment();
    environment.put("PULSAR_EXTRA_OPTS", String.join(" ", extraOptions()));
    if (options.jarsInPlace) {
      // The script puts the folder of the log configuration before, and its home's lib/ after it.
      environment.put("PULSAR_CLASSPATH", options.pulsarHome.toRealPath().resolve("lib") + "/*");
      environment.put("PULSAR_LOG_CONF", options.pulsarHome.resolve("no-folder/none").toString());
    }
    if (options.lightJvm) {
      environment.put("PULSAR_GC", String.join(" ", LIGHT_COLLECTOR_AND_COMPILER));
      environment.put("PULSAR_GC_LOG", "-Xlog:disable");
    }
    environment.putAll(options.environment);
    return process;
  }

  /** With what {@code bin/pulsar} reads of its environment, and nothing of the caller's. */
  static ProcessBuilder of(
      InstanceFolder folder, List<String> command, Path javaHome, List<String> memory) {
    ProcessBuilder process =
        new ProcessBuilder(command)
            .directory(folder.root().toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.logFile().toFile()));
    Map<String, String> environment = process.environment();
    environment.keySet().removeIf(LaunchCommand::changesTheScript);
    environment.put("JAVA_HOME", javaHome.toString());
    environment.put("PULSAR_LOG_DIR", folder.logs().toString());
    environment.put("PULSAR_MEM", String.join(" ", memory));
    return process;
  }

  private List<String> script() {
    List<String> command = new ArrayList<>();
    command.add(folder.root().resolve("bin/pulsar").toString());
    if (options.role == PulsarProcessBuilder.Role.BROKER) {
      command.add("broker");
      return command;
    }
    command.add("standalone");
    command.addAll(standaloneArguments());
    if (options.role == PulsarProcessBuilder.Role.STORAGE) {
      command.addAll(
          List.of("--no-broker", "--zookeeper-port", Integer.toString(options.zookeeperPort)));
    }
    return command;
  }

  private List<String> java() throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add("-cp");
    arguments.add(quoted(options.classPath));
    arguments.addAll(JVM_FLAGS);
    arguments.addAll(options.lightJvm ? LIGHT_COLLECTOR_AND_COMPILER : DEFAULT_COLLECTOR);
    arguments.addAll(memoryOptions());
    arguments.addAll(extraOptions());
    arguments.add("-Dpulsar.config.file=" + folder.brokerConf());
    arguments.add("org.apache.pulsar.PulsarStandaloneStarter");
    arguments.addAll(standaloneArguments());
    Path argumentFile = folder.root().resolve("java.args");
    Files.write(argumentFile, arguments);
    return List.of(options.javaHome.resolve("bin/java").toString(), "@" + argumentFile);
  }

  /** No functions worker, no stream storage: not needed, and they take time to start. */
  private List<String> standaloneArguments() {
    return List.of("-nfw", "-nss", "--bookkeeper-port", Integer.toString(bookiePort));
  }

  private List<String> memoryOptions() {
    return List.of(
        "-Xms" + Math.min(options.heapMegabytes, PulsarProcessBuilder.INITIAL_HEAP_MEGABYTES) + "m",
        "-Xmx" + options.heapMegabytes + "m",
        "-XX:MaxDirectMemorySize=" + options.directMegabytes + "m");
  }

  private List<String> extraOptions() {
    List<String> extra = new ArrayList<>(DEFAULT_EXTRA_OPTIONS);
    extra.add("-Djava.io.tmpdir=" + folder.temp());
    if (options.classPath != null || options.jarsInPlace) {
      extra.add("-Dlog4j.configurationFile=" + folder.logConfiguration());
    }
    extra.addAll(options.jvmOptions);
    return extra;
  }

  private static boolean changesTheScript(String variable) {
    return INHERITED_NAMES.contains(variable)
        || INHERITED_PREFIXES.stream().anyMatch(variable::startsWith);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
