/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.cluster;

import java.nio.file.Path;
import java.util.concurrent.Future;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** The image that a user builds from Pulsar's. Any thread may call it. */
public final class Images {
  private Images() {}

  /**
   * Built when it is first used; the engine keeps it.
   *
   * @param base Pulsar's image
   * @param dockerfile deploy/docker/Dockerfile
   * @param nar the plugin
   */
  public static Future<String> withPlugin(String base, String tag, Path dockerfile, Path nar) {
    return new ImageFromDockerfile("pulsar-broadcast-test:" + tag, false)
        .withFileFromPath("Dockerfile", dockerfile)
        .withFileFromPath(nar.getFileName().toString(), nar)
        .withBuildArg("PULSAR_IMAGE", base);
  }
}
