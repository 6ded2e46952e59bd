/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static picocli.CommandLine.Help.Visibility.NEVER;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.load.BrokerAddress;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.util.List;
import picocli.CommandLine.Option;

/** A broker that runs already, as picocli fills it in. One thread may call it. */
final class RunningBrokerOptions {
  @Option(
      names = "--service-url",
      paramLabel = "URL",
      description = "Use a running broker or cluster that has the plugin, instead of starting one.")
  private String serviceUrl;

  @Option(
      names = "--metrics-url",
      paramLabel = "URL",
      showDefaultValue = NEVER,
      split = ",",
      description =
          "With --service-url: the /metrics/ of its brokers, with commas between, for the stages of"
              + " the latency.")
  private List<String> metricsUrls = List.of();

  boolean isGiven() {
    return serviceUrl != null;
  }

  Broker broker() {
    return Broker.running(serviceUrl, metricsUrls);
  }

  /** Of a broker, without TLS. */
  private boolean isServiceUrl() {
    try {
      BrokerAddress.parseAll(serviceUrl);
      return serviceUrl.matches("pulsar://[^/\\s]+");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    if (serviceUrl != null && !isServiceUrl()) {
      throw new InvalidOptionException(
          "--service-url is " + serviceUrl + "; allowed: pulsar://host:port");
    }
    for (String url : metricsUrls) {
      if (serviceUrl == null || !url.matches("https?://[^/\\s]+/\\S*")) {
        throw new InvalidOptionException(
            "--metrics-url is "
                + url
                + "; allowed: http://host:port/metrics/, together with --service-url");
      }
    }
  }
}
