/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Where to connect to. Immutable; any thread may call it.
 *
 * @param host to connect to
 * @param port to connect to
 * @param proxyTarget the broker to name in the handshake when that is a proxy, or null
 */
public record BrokerAddress(String host, int port, String proxyTarget) {
  private static final String SCHEME = "pulsar";
  private static final int DEFAULT_PORT = 6650;

  /**
   * From {@code pulsar://host:port,host:port}, one for each host.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  public static List<BrokerAddress> parseAll(String serviceUrl) {
    List<BrokerAddress> addresses = new ArrayList<>();
    for (String host : serviceUrl.split(",", -1)) {
      addresses.add(parse(addresses.isEmpty() ? host.strip() : SCHEME + "://" + host.strip()));
    }
    return addresses;
  }

  /**
   * From {@code pulsar://host:port}.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  public static BrokerAddress parse(String serviceUrl) {
    URI uri;
    try {
      uri = URI.create(serviceUrl);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(notAllowed(serviceUrl), e);
    }
    if (!SCHEME.equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException(notAllowed(serviceUrl));
    }
    return new BrokerAddress(uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(), null);
  }

  /** The same address, and behind it this broker. */
  BrokerAddress proxyTo(String brokerServiceUrl) {
    BrokerAddress target = parse(brokerServiceUrl);
    return new BrokerAddress(host, port, target.host + ":" + target.port);
  }

  InetSocketAddress socketAddress() {
    return new InetSocketAddress(host, port);
  }

  private static String notAllowed(String serviceUrl) {
    return "'"
        + serviceUrl
        + "'; allowed: pulsar://host:port, and of several pulsar://host:port,host:port";
  }

  @Override
  public String toString() {
    return host + ":" + port + (proxyTarget == null ? "" : " for " + proxyTarget);
  }
}
