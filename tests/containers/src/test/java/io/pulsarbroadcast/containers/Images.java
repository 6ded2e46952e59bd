/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import java.nio.file.Path;
import java.util.concurrent.Future;
import org.testcontainers.utility.DockerImageName;

/** The images that the tests run: Pulsar's own, and the one that a user builds from it. */
final class Images {

  private Images() {}

  /** Pulsar as it comes; {@code -Dpulsar.image} names another one, or one under another name. */
  static DockerImageName pulsar() {
    return DockerImageName.parse(System.getProperty("pulsar.image"))
        .asCompatibleSubstituteFor("apachepulsar/pulsar");
  }

  static Path nar() {
    return Path.of(System.getProperty("broadcast.nar"));
  }

  /** Built from deploy/docker/Dockerfile. */
  static Future<String> pulsarWithPlugin() {
    return withPlugin(System.getProperty("pulsar.image"), "latest");
  }

  /** The same of another version, whose image {@code -Dpulsar.upgrade.image} names. */
  static Future<String> upgradeWithPlugin() {
    return withPlugin(System.getProperty("pulsar.upgrade.image"), "upgrade");
  }

  private static Future<String> withPlugin(String base, String tag) {
    return io.pulsarbroadcast.cluster.Images.withPlugin(
        base, tag, Path.of(System.getProperty("dockerfile")), nar());
  }
}
