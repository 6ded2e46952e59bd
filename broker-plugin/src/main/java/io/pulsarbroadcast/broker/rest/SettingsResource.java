/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.broker.BroadcastConfig;
import java.util.Map;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.container.AsyncResponse;
import javax.ws.rs.container.Suspended;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.UriInfo;

/**
 * The settings in use on this broker, over REST: docs/openapi.yaml. One object for all requests, on
 * threads of the web service.
 */
@Path("/broadcast/settings")
@Produces(MediaType.APPLICATION_JSON)
public final class SettingsResource {

  private final String settings;

  SettingsResource(BroadcastConfig config) {
    settings = new ObjectMapper().valueToTree(Map.of("settings", config.settings())).toString();
  }

  /** Shows the settings to superusers. */
  @GET
  public void show(
      @Suspended AsyncResponse response,
      @Context ServletContext context,
      @Context HttpServletRequest request,
      @Context UriInfo uri) {
    new SuperUserAccess(context, request, uri).answer(response, settings);
  }
}
