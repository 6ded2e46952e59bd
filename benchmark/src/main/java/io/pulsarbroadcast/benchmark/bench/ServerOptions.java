/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static picocli.CommandLine.Help.Visibility.NEVER;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * The broker that a command starts for itself and where the results go; a mixin of its options, as
 * picocli fills it in. One thread may call it.
 */
final class ServerOptions {
  private static final int DEFAULT_MEGABYTES = 4_096;

  @Option(
      names = "--broker-heap-mb",
      paramLabel = "MB",
      description = "Heap of the broker that is started.")
  @Range(from = 256, to = 1_048_576)
  int heapMegabytes;

  @Option(
      names = "--broker-direct-mb",
      paramLabel = "MB",
      description = "Direct memory of the broker that is started.")
  @Range(from = 128, to = 1_048_576)
  int directMegabytes;

  @Option(
      names = "--broker-setting",
      paramLabel = "KEY=VALUE",
      showDefaultValue = NEVER,
      description =
          "A line of the configuration of the broker that is started; may be given several times.")
  private List<String> settings = new ArrayList<>();

  /** The plugin, or null. */
  @Option(
      names = "--nar",
      paramLabel = "FILE",
      description = "The plugin to install in it; the script adds it.")
  Path nar;

  @SuppressWarnings("UnusedVariable") // Read by the script, which then adds --pulsar-home.
  @Option(
      names = "--pulsar",
      paramLabel = "VERSION",
      description =
          "The Pulsar to get and start, such as 4.0.8 (default: that which the tests run).")
  private String pulsar;

  @Option(
      names = "--pulsar-home",
      paramLabel = "FOLDER",
      description = "The unpacked Pulsar distribution to start; the script adds it.")
  private Path pulsarHome;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here.")
  Path output = Path.of("results");

  ServerOptions() {
    this(DEFAULT_MEGABYTES, DEFAULT_MEGABYTES);
  }

  ServerOptions(int heapMegabytes, int directMegabytes) {
    this.heapMegabytes = heapMegabytes;
    this.directMegabytes = directMegabytes;
  }

  /**
   * Throws {@link InvalidOptionException} for the first option that is not allowed.
   *
   * @param starts whether brokers are started at all
   * @param plugin whether brokers are started that need the plugin
   * @param instead what else is allowed, after a comma; or empty
   */
  void check(boolean starts, boolean plugin, String instead) {
    settings();
    if (Files.exists(output) && !Files.isDirectory(output)) {
      throw new InvalidOptionException("--output is " + output + "; allowed: a folder");
    }
    if (!starts) {
      return;
    }
    if (pulsarHome == null || !Files.isRegularFile(pulsarHome.resolve("bin/pulsar"))) {
      throw new InvalidOptionException(
          "--pulsar-home is " + pulsarHome + "; allowed: a folder that has bin/pulsar" + instead);
    }
    checkNar(plugin, instead);
  }

  /** The same of the plugin alone. */
  void checkNar(boolean plugin, String instead) {
    if (nar == null ? plugin : !Files.isRegularFile(nar)) {
      throw new InvalidOptionException(
          "--nar is " + nar + "; allowed: the plugin's file" + instead);
    }
  }

  Map<String, String> settings() {
    Map<String, String> map = new LinkedHashMap<>();
    for (String setting : settings) {
      int separator = setting.indexOf('=');
      if (separator < 1 || setting.substring(0, separator).isBlank()) {
        throw new InvalidOptionException("--broker-setting is " + setting + "; allowed: key=value");
      }
      map.put(setting.substring(0, separator).strip(), setting.substring(separator + 1));
    }
    return map;
  }

  /**
   * The broker's process, ready to be built.
   *
   * @param name a part of its folder's name
   * @param more settings; those of the command line go over them
   */
  PulsarProcessBuilder process(String name, boolean withPlugin, Map<String, String> more) {
    PulsarProcessBuilder builder =
        PulsarProcess.builder()
            .pulsarHome(pulsarHome)
            .nar(withPlugin ? nar : null)
            .heapMegabytes(heapMegabytes)
            .directMegabytes(directMegabytes)
            .name(name);
    // Pulsar's 10 GB would stop the writer of a backlog.
    builder.setting("backlogQuotaDefaultLimitGB", "-1");
    // Of the stages of a topic's messages.
    builder.setting("broadcastExposeTopicLevelHistograms", "true");
    more.forEach(builder::setting);
    settings().forEach(builder::setting);
    return builder;
  }
}
