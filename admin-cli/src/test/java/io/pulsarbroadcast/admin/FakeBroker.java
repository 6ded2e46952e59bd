/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.pulsarbroadcast.admin.rest.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * A broker with topics {@code t} (subscription {@code alerts}) and {@code p} of three partitions,
 * as far as the commands ask it. Checks what the real one checks of a request.
 */
final class FakeBroker implements AutoCloseable {

  /** What URL and headers of a request may have. */
  private static final int MAX_HEADER_BYTES = 8192;

  static final JsonMapper JSON = new JsonMapper();

  /** A request. */
  record Request(
      String method, String path, Map<String, String> query, JsonNode body, String authorization) {}

  /** An answer other than 200. */
  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int status;

    Refusal(int status, String reason) {
      super(reason);
      this.status = status;
    }
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  final List<Position> positions = new CopyOnWriteArrayList<>();
  final Map<String, String> subscriptionProperties = new HashMap<>();

  /** Topics that have the subscription; null for all. */
  Predicate<String> hasSubscription = topic -> true;

  boolean hasPlugin = true;

  /** What happens after each drop, rehearsed or not. */
  Runnable afterDrop = () -> {};

  boolean superUser = true;
  boolean positionsLost;

  /** Where another broker owns all topics; null if this does. */
  String owner;

  private final HttpServer server;

  FakeBroker() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/admin/v2/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  static Position connected(String name, long lag) {
    return new Position(
        name, "connected", 1, true, "12:34", lag, lag * 100, null, 604_800L, null, "/10.0.0.1:5");
  }

  static Position absent(String name, long lag, long seconds) {
    return new Position(
        name,
        "absent",
        1,
        true,
        "12:3",
        lag,
        lag * 100,
        seconds,
        604_800L,
        604_800 - seconds,
        null);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status = 200;
      byte[] answer;
      try {
        answer = JSON.writeValueAsBytes(answer(exchange));
      } catch (Refusal e) {
        status = e.status;
        answer = e.getMessage() == null ? new byte[0] : reason(e.getMessage());
      }
      if (status == 307) {
        exchange.getResponseHeaders().set("Location", owner + exchange.getRequestURI());
      }
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static byte[] reason(String reason) throws IOException {
    return JSON.writeValueAsBytes(Map.of("reason", reason));
  }

  private Object answer(HttpExchange exchange) throws IOException {
    URI uri = exchange.getRequestURI();
    byte[] body = exchange.getRequestBody().readAllBytes();
    Request request =
        new Request(
            exchange.getRequestMethod(),
            uri.getRawPath().substring("/admin/v2/".length()),
            query(uri),
            body.length == 0 ? null : JSON.readTree(body),
            exchange.getRequestHeaders().getFirst("Authorization"));
    requests.add(request);
    if (uri.toString().length() > MAX_HEADER_BYTES) {
      throw new Refusal(414, null);
    }
    if (owner != null) {
      throw new Refusal(307, null);
    }
    // A broker reads it in its own charset.
    if (!new String(body, StandardCharsets.UTF_8).matches("\\p{ASCII}*")) {
      throw new Refusal(400, "The body is not ASCII");
    }
    String path = request.path();
    if (path.equals("persistent/public/default")) {
      return List.of("persistent://public/default/t", "persistent://public/default/gone");
    }
    if (path.endsWith("/partitions")) {
      return Map.of("partitions", path.endsWith("/p/partitions") ? 3 : 0);
    }
    if (path.endsWith("/stats")) {
      return stats(path);
    }
    if (path.endsWith("/properties")) {
      return properties(request);
    }
    if (!hasPlugin) {
      throw new Refusal(404, null);
    }
    return path.equals("broadcast/settings") ? settings() : ofPositions(request);
  }

  private static Map<String, String> query(URI uri) {
    Map<String, String> query = new LinkedHashMap<>();
    if (uri.getRawQuery() != null) {
      for (String pair : uri.getRawQuery().split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    return query;
  }

  private Object stats(String path) {
    if (path.contains("/gone/")) {
      throw new Refusal(404, "Topic not found");
    }
    ObjectNode stats = JSON.createObjectNode();
    ObjectNode subscriptions = stats.putObject("subscriptions");
    ObjectNode broadcast = subscriptions.putObject("alerts");
    broadcast.put("type", "Broadcast").put("msgBacklog", 12);
    broadcast
        .putObject("subscriptionProperties")
        .put("pulsar.broadcast.consumers", "2")
        .put("pulsar.broadcast.positions.waiting", "1")
        .put("pulsar.broadcast.positions.lost", "0")
        .put("pulsar.broadcast.lag.slowest.entries", "7");
    subscriptions.putObject("plain").put("type", "Exclusive").putObject("subscriptionProperties");
    return stats;
  }

  private Object properties(Request request) {
    if (request.method().equals("PUT")) {
      subscriptionProperties.clear();
      request
          .body()
          .fields()
          .forEachRemaining(
              entry -> subscriptionProperties.put(entry.getKey(), entry.getValue().asText()));
    }
    return subscriptionProperties;
  }

  private Object settings() {
    if (!superUser) {
      throw new Refusal(401, "This operation requires super-user access");
    }
    ObjectNode answer = JSON.createObjectNode();
    answer.put("aFieldOfANewerVersion", 1);
    answer
        .putObject("settings")
        .put("broadcastPositionFlushIntervalMillis", 1000)
        .put("broadcastCursorTimeToLiveSeconds", 604_800)
        .put("broadcastExposeTopicLevelHistograms", false)
        .put("broadcastAckExecutor", "io");
    return answer;
  }

  private Object ofPositions(Request request) {
    String[] parts = request.path().split("/", -1);
    String topic = "persistent://" + String.join("/", parts[1], parts[2], decode(parts[3]));
    if (!parts[4].equals("subscription") || !parts[6].equals("broadcast")) {
      throw new Refusal(404, null);
    }
    String subscription = decode(parts[5]);
    if (!hasSubscription.test(topic)) {
      throw new Refusal(404, "Subscription " + subscription + " not found");
    }
    if (request.body() == null) {
      return list(topic, subscription, request.query());
    }
    return parts[8].equals("drop") ? drop(request.body()) : move(request.body());
  }

  private static String decode(String part) {
    return URLDecoder.decode(part, StandardCharsets.UTF_8);
  }

  private Object list(String topic, String subscription, Map<String, String> query) {
    Comparator<Position> byLag = Comparator.comparingLong(Position::lagEntries).reversed();
    Comparator<Position> byAge =
        Comparator.<Position>comparingLong(p -> p.absentSeconds() == null ? -1 : p.absentSeconds())
            .reversed();
    List<Position> matching =
        positions.stream()
            .filter(p -> matches(query.get("state"), p.state()::equals))
            .filter(p -> matches(query.get("name"), p.name()::equals))
            .filter(p -> matches(query.get("namePrefix"), p.name()::startsWith))
            .sorted("age".equals(query.get("sort")) ? byAge : byLag)
            .toList();
    int offset = Integer.parseInt(query.get("offset"));
    int limit = Integer.parseInt(query.get("limit"));
    ObjectNode answer = JSON.createObjectNode();
    answer.put("topic", topic).put("subscription", subscription);
    answer.put("connected", positions.stream().filter(FakeBroker::isConnected).count());
    answer.put("absent", positions.stream().filter(p -> !isConnected(p)).count());
    answer.put("positionsLost", positionsLost).put("aFieldOfANewerVersion", 1);
    answer.put("backlogEntries", 1234).put("backlogBytes", 1_500_000);
    answer.put("matching", matching.size()).put("offset", offset);
    ArrayNode listed = answer.putArray("positions");
    matching.stream().skip(offset).limit(limit).forEach(listed::addPOJO);
    return answer;
  }

  private static boolean matches(String wanted, Predicate<String> test) {
    return wanted == null || test.test(wanted);
  }

  private static boolean isConnected(Position position) {
    return position.state().equals("connected");
  }

  private Object drop(JsonNode body) {
    boolean dryRun = body.path("dryRun").asBoolean();
    List<Position> dropped =
        positions.stream()
            .filter(p -> !isConnected(p))
            .filter(p -> matches(body.path("name").textValue(), p.name()::equals))
            .filter(p -> matches(body.path("namePrefix").textValue(), p.name()::startsWith))
            .filter(p -> p.absentSeconds() > body.path("absentLongerThanSeconds").asLong(-1))
            .filter(p -> p.lagEntries() > body.path("furtherBehindThanEntries").asLong(-1))
            .toList();
    if (dropped.size() > body.path("atMost").asInt(Integer.MAX_VALUE)) {
      throw new Refusal(412, dropped.size() + " positions match by now");
    }
    if (!dryRun) {
      positions.removeAll(dropped);
    }
    afterDrop.run();
    ObjectNode answer = JSON.createObjectNode();
    answer.put("dryRun", dryRun).put("positions", dropped.size());
    answer.put("entries", dropped.stream().mapToLong(Position::lagEntries).sum());
    ArrayNode names = answer.putArray("names");
    dropped.stream().limit(100).forEach(p -> names.add(p.name()));
    answer.put("backlogEntries", 5);
    return answer;
  }

  private Object move(JsonNode body) {
    String name = body.path("name").asText();
    List<Position> moved = new ArrayList<>(positions);
    moved.removeIf(p -> !p.name().equals(name));
    if (moved.isEmpty()) {
      throw new Refusal(404, "Consumer '" + name + "' has no position");
    }
    return JSON.createObjectNode()
        .put("dryRun", body.path("dryRun").asBoolean())
        .put("positions", moved.size())
        .put("markDeletePosition", "12:40")
        .put("lagEntries", 3)
        .put("skippedEntries", 6)
        .put("backlogEntries", 5);
  }

  /** The bodies of changes, in order. */
  List<JsonNode> changes() {
    return requests.stream()
        .filter(request -> request.method().equals("POST"))
        .map(Request::body)
        .toList();
  }

  JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
