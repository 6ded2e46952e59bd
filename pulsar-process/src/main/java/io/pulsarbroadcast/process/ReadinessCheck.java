/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** Asks a broker over HTTP whether it can be used. Any thread may call it. */
final class ReadinessCheck {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** What a standalone broker makes last, some time after it says that it is ready. */
  private static final String TRANSACTION_COORDINATOR =
      "/admin/v2/persistent/pulsar/system/transaction_coordinator_assign/partitions";

  private static final Pattern PARTITIONS = Pattern.compile("\"partitions\"\\s*:\\s*[1-9]");

  private final String adminUrl;
  private final String token;
  private final boolean withTransactions;

  /** The token may be null. */
  ReadinessCheck(String adminUrl, String token, boolean withTransactions) {
    this.adminUrl = adminUrl;
    this.token = token;
    this.withTransactions = withTransactions;
  }

  /**
   * True when the broker says so itself, the default namespace exists, and with transactions their
   * coordinator's topic, without which a client that uses them cannot be made.
   */
  boolean isReady() {
    return answer("/admin/v2/brokers/ready").isPresent()
        && answer("/admin/v2/namespaces/public/default").isPresent()
        && (!withTransactions
            || answer(TRANSACTION_COORDINATOR).filter(PARTITIONS.asPredicate()).isPresent());
  }

  /** What it says when it answers with 200. */
  private Optional<String> answer(String path) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(adminUrl + path).toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      if (token != null) {
        connection.setRequestProperty("Authorization", "Bearer " + token);
      }
      try {
        return connection.getResponseCode() == HttpURLConnection.HTTP_OK
            ? Optional.of(body(connection))
            : Optional.empty();
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String body(HttpURLConnection connection) throws IOException {
    try (InputStream body = connection.getInputStream()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
