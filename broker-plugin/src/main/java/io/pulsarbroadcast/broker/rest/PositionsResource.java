/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.pulsarbroadcast.broker.topic.PositionsDrop;
import io.pulsarbroadcast.broker.topic.PositionsMove;
import io.pulsarbroadcast.broker.topic.PositionsQuery;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.servlet.ServletContext;
import javax.servlet.http.HttpServletRequest;
import javax.ws.rs.Consumes;
import javax.ws.rs.DefaultValue;
import javax.ws.rs.Encoded;
import javax.ws.rs.GET;
import javax.ws.rs.POST;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.QueryParam;
import javax.ws.rs.container.AsyncResponse;
import javax.ws.rs.container.Suspended;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response.Status;
import javax.ws.rs.core.UriInfo;
import org.apache.pulsar.broker.web.RestException;
import org.apache.pulsar.common.policies.data.TopicOperation;

/**
 * The positions of one Broadcast subscription, over REST: docs/openapi.yaml. One object for each
 * request, on a thread of the web service.
 */
@Path("/persistent/{tenant}/{namespace}/{topic}/subscription/{subscription}/broadcast/positions")
@Produces(MediaType.APPLICATION_JSON)
public final class PositionsResource {

  /** Of who redirects. */
  private static final String AUTHORITATIVE = "authoritative";

  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 1_000;

  /** Of a request's body: a name is the longest that it has. */
  private static final int MAX_BODY_BYTES = 64 << 10;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .serializationInclusion(JsonInclude.Include.NON_NULL)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          // What a script leaves empty is not to widen what is dropped.
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfigDefaults(
              config -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
          .build();

  @Context private ServletContext context;
  @Context private HttpServletRequest request;
  @Context private UriInfo uri;

  @PathParam("tenant")
  private String tenant;

  @PathParam("namespace")
  private String namespace;

  @PathParam("topic")
  @Encoded
  private String topic;

  @PathParam("subscription")
  @Encoded
  private String subscription;

  @QueryParam(AUTHORITATIVE)
  @DefaultValue("false")
  private boolean authoritative;

  /** Lists positions. */
  @GET
  public void list(
      @Suspended AsyncResponse response,
      @QueryParam("state") String state,
      @QueryParam("name") String name,
      @QueryParam("namePrefix") String namePrefix,
      @QueryParam("sort") String sort,
      @QueryParam("offset") String offset,
      @QueryParam("limit") String limit) {
    refuseOthers("state", "name", "namePrefix", "sort", "offset", "limit");
    PositionsQuery query =
        new PositionsQuery(
            state == null
                ? null
                : choice("state", state, "connected", "absent").equals("connected"),
            name,
            namePrefix,
            sort != null && choice("sort", sort, "lag", "age").equals("age"),
            number("offset", offset, 0, 0, Integer.MAX_VALUE),
            number("limit", limit, DEFAULT_LIMIT, 1, MAX_LIMIT));
    access()
        .answer(
            response,
            TopicOperation.CONSUME,
            positions -> CompletableFuture.completedFuture(text(positions.list(query))));
  }

  /** Drops positions of absent consumers. */
  @POST
  @Path("/drop")
  @Consumes(MediaType.APPLICATION_JSON)
  public void drop(@Suspended AsyncResponse response, InputStream body) {
    refuseOthers();
    PositionsDrop drop = read(body, PositionsDrop.class);
    TopicAccess access = access();
    String operator = access.operator();
    access.answer(
        response,
        TopicOperation.UNSUBSCRIBE,
        positions -> positions.drop(drop, operator).thenApply(PositionsResource::text));
  }

  /** Moves the positions of one name. */
  @POST
  @Path("/move")
  @Consumes(MediaType.APPLICATION_JSON)
  public void move(@Suspended AsyncResponse response, InputStream body) {
    refuseOthers();
    PositionsMove move = read(body, PositionsMove.class);
    TopicAccess access = access();
    String operator = access.operator();
    access.answer(
        response,
        TopicOperation.RESET_CURSOR,
        positions -> positions.move(move, operator).thenApply(PositionsResource::text));
  }

  /** Refuses parameters that the request does not have: a misspelt one is not to be left out. */
  private void refuseOthers(String... known) {
    for (String name : uri.getQueryParameters().keySet()) {
      if (!name.equals(AUTHORITATIVE) && !List.of(known).contains(name)) {
        throw bad(
            "Unknown parameter '%s'; %s"
                .formatted(
                    name,
                    known.length == 0
                        ? "allowed is none, the body says everything"
                        : "allowed are " + String.join(", ", known)));
      }
    }
  }

  private TopicAccess access() {
    return new TopicAccess(
        context, request, uri, tenant, namespace, topic, subscription, authoritative);
  }

  private static String choice(String parameter, String value, String... allowed) {
    if (!List.of(allowed).contains(value)) {
      throw bad(
          "Invalid %s '%s'; allowed are %s"
              .formatted(parameter, value, String.join(", ", allowed)));
    }
    return value;
  }

  private static int number(String parameter, String value, int defaultValue, int min, int max) {
    if (value == null) {
      return defaultValue;
    }
    try {
      int number = Integer.parseInt(value);
      if (min <= number && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below with what is allowed.
    }
    throw bad(
        "Invalid %s '%s'; allowed is a whole number from %d to %d"
            .formatted(parameter, value, min, max));
  }

  private static <T> T read(InputStream body, Class<T> type) {
    try {
      byte[] bytes = body.readNBytes(MAX_BODY_BYTES + 1);
      if (bytes.length > MAX_BODY_BYTES) {
        throw new RestException(
            Status.REQUEST_ENTITY_TOO_LARGE,
            "The body has more than %d bytes".formatted(MAX_BODY_BYTES));
      }
      T read = JSON.readValue(bytes, type);
      if (read == null) {
        throw bad("The body is null; allowed is a JSON object");
      }
      refuseNulls(JSON.readTree(bytes));
      return read;
    } catch (JsonMappingException e) {
      throw bad(reason(e));
    } catch (JsonProcessingException e) {
      throw bad("The body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw bad("The body cannot be read: " + e.getMessage());
    }
  }

  /** What a script leaves empty may also be null. */
  private static void refuseNulls(JsonNode body) {
    body.fields()
        .forEachRemaining(
            field -> {
              if (field.getValue().isNull()) {
                throw bad("The field '%s' is null; leave it out".formatted(field.getKey()));
              }
            });
  }

  private static String reason(JsonMappingException e) {
    if (e.getCause() instanceof IllegalArgumentException refused) {
      return refused.getMessage();
    }
    String field =
        e.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("."));
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "Unknown field '%s'; allowed are %s".formatted(field, unknown.getKnownPropertyIds());
    }
    return field.isEmpty()
        ? "The body is not one JSON object"
        : "Invalid value of the field '%s'; docs/openapi.yaml says what is allowed"
            .formatted(field);
  }

  private static RestException bad(String message) {
    return new RestException(Status.BAD_REQUEST, message);
  }

  private static String text(Object answer) {
    try {
      return JSON.writeValueAsString(answer);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
