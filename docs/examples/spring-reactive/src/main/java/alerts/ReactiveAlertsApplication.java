/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package alerts;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListener;
import reactor.core.publisher.Mono;

/** Prints every alert of a topic, as each of its instances does. */
@SpringBootApplication
public class ReactiveAlertsApplication {
  public static void main(String[] args) {
    SpringApplication.run(ReactiveAlertsApplication.class, args);
  }

  @ReactivePulsarListener(
      topics = "${alerts.topic}",
      subscriptionName = "alerts",
      consumerCustomizer = "broadcastReactive") // the second line
  Mono<Void> handle(String alert) {
    return Mono.fromRunnable(() -> System.out.println("received " + alert));
  }
}
