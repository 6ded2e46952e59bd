/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.AuthenticationDataProvider;

/** The few calls of Pulsar's REST API that a run needs. Any thread may call it. */
final class AdminApi {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String ADMIN = "/admin/v2/";
  private static final int CONFLICT = 409;

  private final DriverFile.ClientSettings settings;
  private final Authentication authentication;
  private final BrokerHttp http;

  AdminApi(DriverFile.ClientSettings settings, Authentication authentication) throws IOException {
    this.settings = settings;
    this.authentication = authentication;
    http =
        new BrokerHttp(
            TIMEOUT,
            settings.tlsTrustCertsFile.isEmpty() ? null : trusting(settings.tlsTrustCertsFile),
            this::credentials);
  }

  private Map<String, String> credentials() throws Exception {
    AuthenticationDataProvider data = authentication.getAuthData();
    Map<String, String> headers = new HashMap<>();
    if (data.hasDataForHttp()) {
      data.getHttpHeaders().forEach(header -> headers.put(header.getKey(), header.getValue()));
    }
    return headers;
  }

  private static SSLContext trusting(String pemFile) throws IOException {
    try (InputStream in = new FileInputStream(pemFile)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("trusted-" + trusted.size(), certificate);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("client.tlsTrustCertsFile is " + pemFile + ": " + e.getMessage(), e);
    }
  }

  /** Creates the tenant if there is none, the namespace, and sets the namespace's policies. */
  CompletableFuture<Void> createNamespace(String namespace) {
    String tenant = namespace.substring(0, namespace.indexOf('/'));
    DriverFile.PersistenceSettings persistence = settings.persistence;
    Map<String, Object> quorums =
        Map.of(
            "bookkeeperEnsemble", persistence.ensembleSize,
            "bookkeeperWriteQuorum", persistence.writeQuorum,
            "bookkeeperAckQuorum", persistence.ackQuorum,
            "managedLedgerMaxMarkDeleteRate", 1.0);
    Map<String, Object> noQuota =
        Map.of("limitSize", -1, "limitTime", -1, "policy", "producer_exception");
    String path = "namespaces/" + namespace;
    return create(
            "tenants/" + tenant,
            Map.of("adminRoles", List.of(), "allowedClusters", List.of(settings.clusterName)))
        .thenCompose(done -> create(path, Map.of("bundles", Map.of("numBundles", 1))))
        .thenCompose(done -> send("POST", path + "/persistence", quorums))
        .thenCompose(done -> send("POST", path + "/backlogQuota", noQuota))
        .thenCompose(
            done -> send("POST", path + "/deduplication", persistence.deduplicationEnabled))
        .thenApply(done -> null);
  }

  /** Creates a topic; a partitioned one when it has more than one partition. */
  CompletableFuture<Void> createTopic(String topic, int partitions) {
    return (partitions == 1
            ? create(path(topic), Map.of())
            : create(path(topic) + "/partitions", partitions))
        .thenApply(done -> null);
  }

  /** The ledgers of a topic that is not partitioned, or of one partition. */
  CompletableFuture<JsonNode> internalStats(String topic) {
    return send("GET", path(topic) + "/internalStats", null).thenApply(AdminApi::parse);
  }

  /** Where the broker that serves a topic, or a partition, can be asked. */
  CompletableFuture<String> brokerOf(String topic) {
    String field = settings.httpUrl().startsWith("https") ? "httpUrlTls" : "httpUrl";
    return http.sendAsync("GET", settings.httpUrl() + "/lookup/v2/topic/" + path(topic), null)
        .thenApply(answer -> parse(answer).path(field).asText());
  }

  /** The Prometheus page of a broker. */
  CompletableFuture<MetricsPage> metrics(String brokerUrl) {
    return http.sendAsync("GET", brokerUrl + "/metrics/", null).thenApply(MetricsPage::parse);
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new CompletionException(e);
    }
  }

  private static String path(String topic) {
    return topic.replace("://", "/");
  }

  /** What exists already is taken as it is. */
  private CompletableFuture<String> create(String path, Object body) {
    return send("PUT", path, body, CONFLICT);
  }

  private CompletableFuture<String> send(
      String method, String path, Object body, int... alsoAllowedStatus) {
    try {
      String json = body == null ? null : JSON.writeValueAsString(body);
      return http.sendAsync(method, settings.httpUrl() + ADMIN + path, json, alsoAllowedStatus);
    } catch (JsonProcessingException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
