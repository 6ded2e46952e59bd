/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import static picocli.CommandLine.Help.Visibility.NEVER;

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
 * The broker that a command starts for itself; a mixin of its options, as picocli fills it in. One
 * thread may call it.
 */
public final class BrokerOptions {
  @Option(
      names = "--broker-heap-mb",
      paramLabel = "MB",
      description = "Heap of the broker that is started.")
  @Range(from = 256, to = 1_048_576)
  private int heapMegabytes = 4_096;

  @Option(
      names = "--broker-direct-mb",
      paramLabel = "MB",
      description = "Direct memory of the broker that is started.")
  @Range(from = 128, to = 1_048_576)
  private int directMegabytes = 4_096;

  @Option(
      names = "--broker-setting",
      paramLabel = "KEY=VALUE",
      showDefaultValue = NEVER,
      description =
          "A line of the configuration of the broker that is started; may be given several times.")
  private List<String> settings = new ArrayList<>();

  @Option(
      names = "--nar",
      paramLabel = "FILE",
      description = "The plugin to install in it; the script adds it.")
  private Path nar;

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

  /**
   * Throws {@link InvalidOptionException} when there is nothing to start.
   *
   * @param needsNar whether it has to have the plugin
   * @param instead what else is allowed, after a comma; or empty
   */
  public void checkFiles(boolean needsNar, String instead) {
    if (pulsarHome == null || !Files.isRegularFile(pulsarHome.resolve("bin/pulsar"))) {
      throw new InvalidOptionException(
          "--pulsar-home is " + pulsarHome + "; allowed: a folder that has bin/pulsar" + instead);
    }
    if (nar == null ? needsNar : !Files.isRegularFile(nar)) {
      throw new InvalidOptionException(
          "--nar is " + nar + "; allowed: the plugin's file" + instead);
    }
  }

  /**
   * The settings in the order they were given.
   *
   * @throws InvalidOptionException when one has no key
   */
  public Map<String, String> settings() {
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
   * The broker's process, ready to be given {@link #settings} and built.
   *
   * @param name a part of its folder's name
   */
  public PulsarProcessBuilder process(String name, boolean withPlugin) {
    return PulsarProcess.builder()
        .pulsarHome(pulsarHome)
        .nar(withPlugin ? nar : null)
        .heapMegabytes(heapMegabytes)
        .directMegabytes(directMegabytes)
        .name(name);
  }

  public int heapMegabytes() {
    return heapMegabytes;
  }

  public int directMegabytes() {
    return directMegabytes;
  }

  /** The plugin, or null. */
  public Path nar() {
    return nar;
  }
}
