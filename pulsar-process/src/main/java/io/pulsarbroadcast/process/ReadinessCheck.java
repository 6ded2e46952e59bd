/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Asks a broker over HTTP whether it can be used. Any thread may call it. */
final class ReadinessCheck {
  private static final int TIMEOUT_MILLIS = 5_000;
  private final String adminUrl;
  private final String token;

  /** The token may be null. */
  ReadinessCheck(String adminUrl, String token) {
    this.adminUrl = adminUrl;
    this.token = token;
  }

  /** True when the broker says so itself and the default namespace exists. */
  boolean isReady() {
    return answersOk("/admin/v2/brokers/ready") && answersOk("/admin/v2/namespaces/public/default");
  }

  private boolean answersOk(String path) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(adminUrl + path).toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      if (token != null) {
        connection.setRequestProperty("Authorization", "Bearer " + token);
      }
      try {
        return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }
}
