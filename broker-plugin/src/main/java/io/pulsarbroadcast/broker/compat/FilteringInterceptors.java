/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.stream.Stream;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.intercept.BrokerInterceptor;
import org.apache.pulsar.broker.intercept.BrokerInterceptorWithClassLoader;
import org.apache.pulsar.broker.intercept.BrokerInterceptors;

/**
 * All interceptors of a broker that passes web requests on to none: they are given to the plugin,
 * everything else to all. Called by the broker, from any thread.
 */
@Line(before = "3.2")
public final class FilteringInterceptors extends BrokerInterceptors {

  private static final Field INTERCEPTOR =
      BrokerLine.hiddenField(PulsarService.class, "brokerInterceptor");

  private final BrokerInterceptor plugin;

  private FilteringInterceptors(BrokerInterceptors all, BrokerInterceptor plugin) {
    super(all.getInterceptors());
    this.plugin = plugin;
  }

  /**
   * Has a broker's web requests given to the plugin, if the broker does not do so by itself. To be
   * called before its web service is made.
   *
   * @throws IllegalStateException naming what the broker lacks
   */
  public static void install(PulsarService pulsar, BrokerInterceptor plugin) {
    if (passesRequestsOn() || !(pulsar.getBrokerInterceptor() instanceof BrokerInterceptors all)) {
      return;
    }
    BrokerLine.require(INTERCEPTOR != null, "field PulsarService.brokerInterceptor");
    try {
      INTERCEPTOR.set(pulsar, new FilteringInterceptors(all, plugin));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean passesRequestsOn() {
    return Stream.of(BrokerInterceptorWithClassLoader.class.getDeclaredMethods())
        .anyMatch(method -> method.getName().equals("onFilter"));
  }

  @Override
  public void onFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    plugin.onFilter(request, response, chain);
  }
}
