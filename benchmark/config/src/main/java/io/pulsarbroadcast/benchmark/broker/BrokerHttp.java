/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.broker;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;

/**
 * HTTP to brokers: their admin API, and what they show of themselves. Any thread may call it.
 * Redirects, with which a broker names the one that serves a topic, are followed.
 */
public final class BrokerHttp {
  /** Statistics of very many consumers take a while. */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final HttpClient client;
  private final Duration timeout;
  private final Callable<Map<String, String>> headers;

  /** Without authentication, with a generous time limit. */
  public BrokerHttp() {
    this(TIMEOUT, null, Map::of);
  }

  /**
   * Makes a client.
   *
   * @param timeout of connecting, and of a request
   * @param trusted certificates, or null for those of the JVM
   * @param headers of each request; asked anew for each
   */
  public BrokerHttp(Duration timeout, SSLContext trusted, Callable<Map<String, String>> headers) {
    HttpClient.Builder builder =
        HttpClient.newBuilder().connectTimeout(timeout).followRedirects(HttpClient.Redirect.NORMAL);
    if (trusted != null) {
      builder.sslContext(trusted);
    }
    this.client = builder.build();
    this.timeout = timeout;
    this.headers = headers;
  }

  /**
   * Returns what a GET is answered with.
   *
   * @throws IOException with method, URL, status and answer when the status is not 2xx
   */
  public String get(String url) throws IOException, InterruptedException {
    return send("GET", url);
  }

  /** The same of any method, without a body; one more status may be as good as 2xx. */
  public String send(String method, String url, int... alsoAllowedStatus)
      throws IOException, InterruptedException {
    return send(request(method, url, null), alsoAllowedStatus);
  }

  /** The same of a PUT with a body of JSON. */
  public String put(String url, String json, int... alsoAllowedStatus)
      throws IOException, InterruptedException {
    return send(request("PUT", url, json), alsoAllowedStatus);
  }

  private String send(HttpRequest request, int... alsoAllowedStatus)
      throws IOException, InterruptedException {
    return checked(client.send(request, BodyHandlers.ofString()), request, alsoAllowedStatus);
  }

  /**
   * Fails as {@link #send} throws.
   *
   * @param json the body, or null for none
   */
  public CompletableFuture<String> sendAsync(
      String method, String url, String json, int... alsoAllowedStatus) {
    try {
      HttpRequest request = request(method, url, json);
      return client
          .sendAsync(request, BodyHandlers.ofString())
          .thenApply(
              response -> {
                try {
                  return checked(response, request, alsoAllowedStatus);
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpRequest request(String method, String url, String json) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(timeout);
    if (json == null) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofString(json));
    }
    try {
      headers.call().forEach(request::header);
    } catch (Exception e) {
      // An authentication plugin may throw anything.
      throw new IOException("No credentials for " + url + ": " + e, e);
    }
    return request.build();
  }

  private static String checked(
      HttpResponse<String> response, HttpRequest request, int... alsoAllowedStatus)
      throws IOException {
    int status = response.statusCode();
    if (status / 100 != 2 && IntStream.of(alsoAllowedStatus).noneMatch(s -> s == status)) {
      throw new IOException(
          request.method()
              + " "
              + request.uri()
              + " was answered with "
              + status
              + ": "
              + response.body());
    }
    return response.body();
  }
}
