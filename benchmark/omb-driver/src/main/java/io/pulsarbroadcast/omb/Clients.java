/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.pulsarbroadcast.benchmark.config.DriverFile;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SizeUnit;

/** Makes the Pulsar client of a driver. Any thread may call it. */
final class Clients {
  private static final String API_PACKAGE = ".client.api";

  private Clients() {}

  static PulsarClient create(DriverFile config, Authentication authentication)
      throws PulsarClientException {
    DriverFile.ClientSettings settings = config.client;
    ClientBuilder builder =
        PulsarClient.builder()
            .serviceUrl(settings.serviceUrl)
            .authentication(authentication)
            .connectionsPerBroker(settings.connections)
            .ioThreads(settings.ioThreads())
            .listenerThreads(settings.listenerThreads())
            .operationTimeout(settings.operationTimeoutSeconds, TimeUnit.SECONDS)
            .memoryLimit(settings.memoryLimitMegabytes, SizeUnit.MEGA_BYTES)
            .maxConcurrentLookupRequests(config.consumer.creationConcurrency)
            .maxLookupRequests(Integer.MAX_VALUE)
            .statsInterval(0, TimeUnit.SECONDS);
    if (!settings.tlsTrustCertsFile.isEmpty()) {
      builder.tlsTrustCertsFilePath(settings.tlsTrustCertsFile);
    }
    return builder.build();
  }

  static Authentication authentication(DriverFile.ClientSettings settings)
      throws PulsarClientException {
    return AuthenticationFactory.create(
        inThisJar(settings.authenticationPlugin), settings.authenticationParameters);
  }

  /** The name of a class of Pulsar's as it is in this jar, where packages are renamed. */
  static String inThisJar(String className) {
    // Put together at run time: a constant would be renamed as well.
    String stock = String.join(".", "org", "apache", "pulsar");
    String api = AuthenticationFactory.class.getPackageName();
    String own = api.substring(0, api.length() - API_PACKAGE.length());
    return className.startsWith(stock + ".")
        ? own + className.substring(stock.length())
        : className;
  }
}
