/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import javax.ws.rs.ClientErrorException;
import javax.ws.rs.NotSupportedException;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.Response.Status;
import javax.ws.rs.ext.ExceptionMapper;
import org.apache.pulsar.broker.web.RestException;

/**
 * Gives the errors that no resource knows of, such as an unknown path or method, a reason as the
 * broker's own have it. Stateless; called on threads of the web service.
 */
public final class ClientErrors implements ExceptionMapper<ClientErrorException> {

  @Override
  public Response toResponse(ClientErrorException error) {
    Status status = Status.fromStatusCode(error.getResponse().getStatus());
    String reason =
        error instanceof NotSupportedException
            ? "Invalid Content-Type; allowed is application/json"
            : error.getMessage();
    return new RestException(status, reason).getResponse();
  }
}
