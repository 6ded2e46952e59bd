/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.ws.rs.container.AsyncResponse;
import javax.ws.rs.core.UriInfo;
import org.apache.pulsar.broker.admin.AdminResource;

/** The way of one request that is for superusers only, as the broker's own admin calls go it. */
final class SuperUserAccess extends AdminResource {

  SuperUserAccess(ServletContext context, HttpServletRequest request, UriInfo uri) {
    this.servletContext = context;
    this.httpRequest = request;
    this.uri = uri;
  }

  /** Answers superusers so, and others as the broker does. */
  void answer(AsyncResponse response, String answer) {
    validateSuperUserAccessAsync()
        .whenComplete(
            (allowed, e) -> {
              if (e == null) {
                response.resume(answer);
              } else {
                resumeAsyncResponseExceptionally(response, e);
              }
            });
  }
}
