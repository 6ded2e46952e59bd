/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.cluster;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Network.Ipam;
import java.util.LinkedHashMap;
import java.util.Map;
import org.testcontainers.containers.Network;

/**
 * A bridge network with a fixed address for each name, which a container keeps when it is ended and
 * begun again. One thread may call it.
 */
final class ClusterNetwork implements AutoCloseable {
  private static final int FIRST_HOST = 10;
  private static final int SUBNETS = 32;

  private final Network network;
  private final String prefix;
  private final Map<String, String> addresses = new LinkedHashMap<>();

  private ClusterNetwork(Network network, String prefix) {
    this.network = network;
    this.prefix = prefix;
  }

  /** Takes the first of some private subnets that nobody uses. */
  static ClusterNetwork create() {
    for (int subnet = 0; ; subnet++) {
      String prefix = "10.213." + subnet + ".";
      Ipam ipam = new Ipam().withConfig(new Ipam.Config().withSubnet(prefix + "0/24"));
      Network network =
          Network.builder().createNetworkCmdModifier(create -> create.withIpam(ipam)).build();
      try {
        network.getId();
        return new ClusterNetwork(network, prefix);
      } catch (DockerException e) {
        if (subnet == SUBNETS) {
          throw e;
        }
      }
    }
  }

  /** Gives the next name an address. */
  void add(String name) {
    addresses.put(name, prefix + (FIRST_HOST + addresses.size()));
  }

  /** Of all names, in the order in which they were added. */
  Map<String, String> addresses() {
    return addresses;
  }

  Network network() {
    return network;
  }

  @Override
  public void close() {
    network.close();
  }
}
