/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.pulsarbroadcast.admin.terminal.CommandException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.ws.rs.ProcessingException;
import javax.ws.rs.client.Entity;
import javax.ws.rs.client.WebTarget;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.internal.BaseResource;
import org.apache.pulsar.client.admin.internal.PulsarAdminImpl;
import org.apache.pulsar.client.impl.conf.ClientConfigurationData;
import org.apache.pulsar.common.naming.TopicName;

/**
 * What brokers with the plugin answer about positions and settings. Requests go through the HTTP
 * client of pulsar-admin, with its service URL, authentication, TLS, timeout and redirects.
 */
public final class BroadcastApi extends BaseResource {
  /** In ASCII: a broker that runs in another locale than UTF-8 reads other characters wrongly. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final WebTarget root;

  private BroadcastApi(WebTarget root, ClientConfigurationData config) {
    super(config.getAuthentication(), config.getRequestTimeoutMs());
    this.root = root;
  }

  public static BroadcastApi of(PulsarAdmin admin) throws CommandException {
    try {
      PulsarAdminImpl client = (PulsarAdminImpl) admin;
      // Protected in all lines; no public method leads to pulsar-admin's HTTP client.
      Field root = PulsarAdminImpl.class.getDeclaredField("root");
      root.setAccessible(true);
      return new BroadcastApi((WebTarget) root.get(client), client.getClientConfigData());
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new CommandException(
          "This pulsar-admin is not supported", "It has another HTTP client: " + e, e);
    }
  }

  /** Lists positions; of a name too long for a URL, by filtering those that begin the same. */
  public Positions list(TopicName topic, String subscription, PositionsQuery query)
      throws PulsarAdminException {
    if (query.fitsIntoUrl()) {
      return page(topic, subscription, query);
    }
    List<Position> found = new ArrayList<>();
    Positions page;
    int read = 0;
    do {
      page = page(topic, subscription, query.widened(read));
      page.positions().stream().filter(query::matches).forEach(found::add);
      read += page.positions().size();
    } while (!page.positions().isEmpty() && read < page.matching());
    List<Position> listed = found.stream().skip(query.offset()).limit(query.limit()).toList();
    return page.with(found.size(), query.offset(), listed);
  }

  private Positions page(TopicName topic, String subscription, PositionsQuery query)
      throws PulsarAdminException {
    WebTarget target = positions(topic, subscription);
    for (Map.Entry<String, String> parameter : query.parameters().entrySet()) {
      target = target.queryParam(parameter.getKey(), parameter.getValue());
    }
    return exchange(target, null, Positions.class);
  }

  public Dropped drop(TopicName topic, String subscription, Drop drop) throws PulsarAdminException {
    return exchange(positions(topic, subscription).path("drop"), drop, Dropped.class);
  }

  public Moved move(TopicName topic, String subscription, Move move) throws PulsarAdminException {
    return exchange(positions(topic, subscription).path("move"), move, Moved.class);
  }

  /** The settings of the broker that the service URL leads to. */
  public Settings settings() throws PulsarAdminException {
    return exchange(root.path("/admin/v2/broadcast/settings"), null, Settings.class);
  }

  private WebTarget positions(TopicName topic, String subscription) {
    return root.path("/admin/v2/")
        .path(topic.getRestPath())
        .path("subscription")
        .path(PositionsQuery.encode(subscription))
        .path("broadcast/positions");
  }

  /** Posts a body, or gets without one. */
  private <T> T exchange(WebTarget target, Object body, Class<T> type) throws PulsarAdminException {
    try {
      Response response =
          body == null
              ? request(target).get()
              : request(target)
                  .post(Entity.entity(MAPPER.writeValueAsBytes(body), MediaType.APPLICATION_JSON));
      String answer = new String(response.readEntity(byte[].class), StandardCharsets.UTF_8);
      if (response.getStatus() != Response.Status.OK.getStatusCode()) {
        throw refusal(response.getStatus(), answer);
      }
      return MAPPER.readValue(answer, type);
    } catch (ProcessingException e) {
      throw CommandException.noAnswer(e);
    } catch (JsonProcessingException e) {
      throw new CommandException(
          "The answer of " + root.getUri() + " is not understood", e.getOriginalMessage(), e);
    }
  }

  private CommandException refusal(int status, String answer) {
    String failure = "The broker's answer is HTTP " + status;
    String reason = reasonIn(answer);
    if (reason != null) {
      return new CommandException(failure, reason);
    }
    if (status == Response.Status.NOT_FOUND.getStatusCode()) {
      return new CommandException(
          failure,
          "The broker has no plugin pulsar-broadcast, or an older version without these commands");
    }
    Response.Status known = Response.Status.fromStatusCode(status);
    return new CommandException(failure, known == null ? "none given" : known.getReasonPhrase());
  }

  /** Pulsar's reason, or null if the answer is not Pulsar's. */
  private static String reasonIn(String answer) {
    try {
      return MAPPER.readTree(answer).path("reason").textValue();
    } catch (JsonProcessingException e) {
      return null;
    }
  }
}
