/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import io.pulsarbroadcast.benchmark.broker.BrokerHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Asks a broker over HTTP whether it can be used. Any thread may call it. */
final class ReadinessCheck {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** What a standalone broker makes last, some time after it says that it is ready. */
  private static final String TRANSACTION_COORDINATOR =
      "/admin/v2/persistent/pulsar/system/transaction_coordinator_assign/partitions";

  private static final Pattern PARTITIONS = Pattern.compile("\"partitions\"\\s*:\\s*[1-9]");

  private final String adminUrl;
  private final BrokerHttp http;
  private final boolean withTransactions;

  /** The token may be null. */
  ReadinessCheck(String adminUrl, String token, boolean withTransactions) {
    this.adminUrl = adminUrl;
    this.http =
        new BrokerHttp(
            TIMEOUT,
            null,
            () -> token == null ? Map.of() : Map.of("Authorization", "Bearer " + token));
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

  private Optional<String> answer(String path) {
    try {
      return Optional.of(http.get(adminUrl + path));
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
