/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Asks a broker over HTTP whether it can be used. Any thread may call it. */
final class ReadinessCheck {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** What a standalone broker makes last, some time after it says that it is ready. */
  private static final String TRANSACTION_COORDINATOR =
      "/admin/v2/persistent/pulsar/system/transaction_coordinator_assign/partitions";

  private static final Pattern ANYTHING = Pattern.compile("");
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
    return answers("/admin/v2/brokers/ready", ANYTHING)
        && answers("/admin/v2/namespaces/public/default", ANYTHING)
        && (!withTransactions || answers(TRANSACTION_COORDINATOR, PARTITIONS));
  }

  private boolean answers(String path, Pattern part) {
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
            && part.matcher(body(connection)).find();
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }

  private static String body(HttpURLConnection connection) throws IOException {
    try (InputStream body = connection.getInputStream()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
