/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.BroadcastConfig;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.regex.Pattern;
import javax.servlet.FilterChain;
import javax.servlet.ServletConfig;
import javax.servlet.ServletContext;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.web.AuthenticationFilter;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;
import org.glassfish.jersey.servlet.ServletContainer;

/**
 * Answers the web requests of docs/openapi.yaml, after the broker's own authentication; passes all
 * others on. Called by the web service, from any of its threads, for every request.
 */
public final class AdminEndpoint {

  /** Of Pulsar's own admin calls. Requests are routed to it by another form of the path. */
  private static final String CONTEXT_PATH = "/admin/v2";

  private static final Pattern PATH =
      Pattern.compile(
          CONTEXT_PATH
              + "/(broadcast/settings"
              + "|persistent/[^/]+/[^/]+/[^/]+/subscription/[^/]+/broadcast/positions(/.*)?)");

  private final PulsarService pulsar;
  private final BroadcastConfig config;

  @GuardedBy("this")
  private ServletContainer resources;

  @GuardedBy("this")
  private AuthenticationFilter authentication;

  public AdminEndpoint(PulsarService pulsar, BroadcastConfig config) {
    this.pulsar = pulsar;
    this.config = config;
  }

  /**
   * Answers a request, or passes it on.
   *
   * @param chain what follows the plugin among the web service's filters: authentication is later
   */
  public void answer(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse
        && CONTEXT_PATH.equals(http.getContextPath())
        && PATH.matcher(http.getRequestURI()).matches()) {
      FilterChain authenticated =
          (allowed, answer) -> resources(http.getServletContext()).service(allowed, answer);
      if (pulsar.getConfiguration().isAuthenticationEnabled()) {
        authentication().doFilter(request, response, authenticated);
      } else {
        authenticated.doFilter(request, response);
      }
    } else {
      chain.doFilter(request, response);
    }
  }

  private synchronized AuthenticationFilter authentication() {
    if (authentication == null) {
      authentication =
          new AuthenticationFilter(pulsar.getBrokerService().getAuthenticationService());
    }
    return authentication;
  }

  /** Made with the first request: the web service is not there when the plugin is loaded. */
  private synchronized ServletContainer resources(ServletContext context) throws ServletException {
    if (resources == null) {
      ServletContainer made =
          new ServletContainer(
              new ResourceConfig(PositionsResource.class, ClientErrors.class)
                  .register(new SettingsResource(config))
                  .addProperties(Map.of(ServerProperties.WADL_FEATURE_DISABLE, true)));
      made.init(new Config(context));
      resources = made;
    }
    return resources;
  }

  private record Config(ServletContext context) implements ServletConfig {

    @Override
    public String getServletName() {
      return "broadcast";
    }

    @Override
    public ServletContext getServletContext() {
      return context;
    }

    @Override
    public String getInitParameter(String name) {
      return null;
    }

    @Override
    public Enumeration<String> getInitParameterNames() {
      return Collections.emptyEnumeration();
    }
  }
}
