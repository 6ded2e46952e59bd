/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package alerts;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.pulsar.annotation.PulsarListener;

/** Prints every alert of a topic, as each of its instances does. */
@SpringBootApplication
public class AlertsApplication {
  public static void main(String[] args) {
    SpringApplication.run(AlertsApplication.class, args);
  }

  @PulsarListener(
      topics = "${alerts.topic}",
      subscriptionName = "alerts",
      consumerCustomizer = "broadcast") // the second line
  void handle(String alert) {
    System.out.println("received " + alert);
  }
}
