/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.Subscription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TypeExchangeTest {

  /** I9: a plain consumer whose subscribe has succeeded is not thrown out. */
  @Test
  void shouldAddNoPlainConsumerBetweenLookingForOneAndClosing() throws Exception {
    PlainSubscription plain = new PlainSubscription();
    Thread adding = new Thread(plain::add);
    plain.looked = () -> startAndAwaitEndOrBlock(adding);

    assertThat(TypeExchange.closeUnlessUsed(plain.subscription, plain::close)).isCompleted();
    adding.join();
    assertThat(plain.consumersWhenClosed).isZero();
    assertThat(plain.consumers).as("on a closed subscription").isEmpty();
  }

  @Test
  void shouldLeaveAPlainSubscriptionOpenThatHasAConsumer() {
    PlainSubscription plain = new PlainSubscription();
    plain.add();

    assertThat(TypeExchange.closeUnlessUsed(plain.subscription, plain::close)).isNull();
    assertThat(plain.closed).isFalse();
  }

  private static void startAndAwaitEndOrBlock(Thread thread) {
    thread.start();
    while (thread.getState() != Thread.State.BLOCKED
        && thread.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
  }

  /** Adds consumers as the broker does: under the subscription's lock, unless it is closed. */
  private static final class PlainSubscription {
    private final List<Consumer> consumers = new ArrayList<>();
    private final Subscription subscription =
        (Subscription)
            Proxy.newProxyInstance(
                Subscription.class.getClassLoader(),
                new Class<?>[] {Subscription.class},
                (self, method, args) -> getConsumers());
    private Runnable looked = () -> {};
    private boolean closed;
    private int consumersWhenClosed;

    private List<Consumer> getConsumers() {
      List<Consumer> now = new ArrayList<>(consumers);
      looked.run();
      return now;
    }

    void add() {
      synchronized (subscription) {
        if (!closed) {
          consumers.add(null);
        }
      }
    }

    CompletableFuture<Void> close() {
      synchronized (subscription) {
        closed = true;
        consumersWhenClosed = consumers.size();
      }
      return CompletableFuture.completedFuture(null);
    }
  }
}
