/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * Asks a broker about the positions of one subscription, and about its settings, as any HTTP client
 * does. Stateless; any thread may call it.
 *
 * @param adminUrl the broker's
 * @param token of each request, or null
 */
record PositionsRequests(
    HttpClient http, String adminUrl, String topic, String subscription, String token) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  PositionsRequests(String adminUrl, String topic, String subscription) {
    this(adminUrl, topic, subscription, null);
  }

  PositionsRequests(String adminUrl, String topic, String subscription, String token) {
    this(HTTP, adminUrl, topic, subscription, token);
  }

  /** An answer. */
  record Answer(int status, JsonNode body) {

    /** Why it is an error. */
    String reason() {
      return body.path("reason").asText();
    }

    /** The names of the positions that it lists. */
    List<String> names() {
      return StreamSupport.stream(body.get("positions").spliterator(), false)
          .map(position -> position.get("name").asText())
          .toList();
    }

    JsonNode position(int place) {
      return body.get("positions").get(place);
    }

    long number(String field) {
      return body.get(field).longValue();
    }
  }

  /** Lists positions; names and values of the query alternate. */
  Answer list(String... query) throws IOException, InterruptedException {
    StringBuilder uri = new StringBuilder(uri("")).append('?');
    for (int i = 0; i < query.length; i += 2) {
      uri.append(encoded(query[i])).append('=').append(encoded(query[i + 1])).append('&');
    }
    return send(HttpRequest.newBuilder(URI.create(uri.toString())).GET());
  }

  Answer drop(Map<String, ?> drop) throws IOException, InterruptedException {
    return post("/drop", JSON.writeValueAsString(drop));
  }

  Answer move(Map<String, ?> move) throws IOException, InterruptedException {
    return post("/move", JSON.writeValueAsString(move));
  }

  /** The plugin's settings in use on the broker. */
  Answer settings() throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(adminUrl + "/admin/v2/broadcast/settings")).GET());
  }

  Answer post(String path, String body) throws IOException, InterruptedException {
    return send(json(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** What the broker itself answers to who looks at the subscription's first message. */
  int peek() throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(subscriptionUri() + "/position/1")).GET())
        .status();
  }

  /** The same of who moves the subscription to its end. */
  int reset() throws IOException, InterruptedException {
    return send(json(subscriptionUri() + "/resetcursor/" + System.currentTimeMillis())
            .POST(HttpRequest.BodyPublishers.noBody()))
        .status();
  }

  /** The same of who deletes the subscription. */
  int delete() throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(subscriptionUri())).DELETE()).status();
  }

  /** The same of who looks at the broker's own settings. */
  int runtimeConfiguration() throws IOException, InterruptedException {
    String uri = adminUrl + "/admin/v2/brokers/configuration/runtime";
    return send(HttpRequest.newBuilder(URI.create(uri)).GET()).status();
  }

  private static HttpRequest.Builder json(String uri) {
    return HttpRequest.newBuilder(URI.create(uri)).header("Content-Type", "application/json");
  }

  private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
    if (token != null) {
      // Without its name, Pulsar 3.0 takes the certificate first where there is one.
      request.header("X-Pulsar-Auth-Method-Name", "token");
      request.header("Authorization", "Bearer " + token);
    }
    var response = http.send(request.build(), BodyHandlers.ofString());
    String body = response.body();
    // Jetty's own answers, to who is not authenticated, are pages.
    ObjectNode page = JSON.createObjectNode().put("reason", body);
    return new Answer(response.statusCode(), body.startsWith("{") ? JSON.readTree(body) : page);
  }

  private String uri(String path) {
    return subscriptionUri() + "/broadcast/positions" + path;
  }

  private String subscriptionUri() {
    return adminUrl
        + "/admin/v2/"
        + topic.replace("://", "/")
        + "/subscription/"
        + encoded(subscription);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
