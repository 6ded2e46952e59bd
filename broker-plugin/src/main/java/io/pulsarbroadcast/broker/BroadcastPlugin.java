/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import io.pulsarbroadcast.broker.compat.BrokerVersion;
import io.pulsarbroadcast.broker.compat.FilteringInterceptors;
import io.pulsarbroadcast.broker.rest.AdminEndpoint;
import java.io.IOException;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.intercept.BrokerInterceptor;
import org.apache.pulsar.broker.service.ServerCnx;
import org.apache.pulsar.common.api.proto.BaseCommand;

/**
 * The plugin's only entry: the broker interceptor that {@code brokerInterceptors=pulsar-broadcast}
 * loads. It wires the Broadcast subscription type into the broker while the broker starts, and
 * answers its web requests afterwards.
 *
 * <p>Called by the broker, once, before it binds a port or loads a topic. Everything about this
 * broker line that does not fit ends the broker's start with one sentence: a broker never runs
 * half-wired.
 */
public final class BroadcastPlugin implements BrokerInterceptor {

  private AdminEndpoint endpoint;

  @Override
  public void initialize(PulsarService pulsar) {
    BrokerVersion.check(pulsar.getBrokerVersion());
    BroadcastConfig config = BroadcastConfig.from(pulsar.getConfiguration().getProperties());
    BrokerHooks.install(pulsar, config);
    endpoint = new AdminEndpoint(pulsar, config);
    FilteringInterceptors.install(pulsar, this);
  }

  @Override
  public void onFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    endpoint.answer(request, response, chain);
  }

  @Override
  public void onPulsarCommand(BaseCommand command, ServerCnx cnx) {
    // Nothing: the broker calls this only when further interceptors keep it on the path.
  }

  @Override
  public void onConnectionClosed(ServerCnx cnx) {
    // Nothing, as above.
  }

  @Override
  public void onWebserviceRequest(ServletRequest request) {
    // Nothing, as above.
  }

  @Override
  public void onWebserviceResponse(ServletRequest request, ServletResponse response) {
    // Nothing, as above.
  }

  @Override
  public void close() {
    // Nothing to give up: topics and connections are closed by the broker.
  }
}
