/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one consumer retries reaches that consumer alone. */
@Timeout(60)
class RetryTopicsTest {
  private final FakePulsar pulsar = new FakePulsar();

  private BroadcastConsumerBuilder<String> builder() {
    return pulsar
        .broadcast
        .newConsumer(Schema.STRING)
        .topic("persistent://city/traffic/area-7")
        .subscriptionName("alerts")
        .subscriptionType(SubscriptionType.Broadcast)
        .consumerName("car-4711");
  }

  private DeadLetterPolicy subscribed(ConsumerBuilder<?> builder) throws Exception {
    builder.subscribe();
    return (DeadLetterPolicy) pulsar.real().get(pulsar.real().size() - 1).last("deadLetterPolicy");
  }

  @Test
  void shouldGiveEachConsumerARetryTopicOfItsOwn() throws Exception {
    DeadLetterPolicy policy = subscribed(builder().enableRetry(true));
    assertThat(policy.getRetryLetterTopic())
        .isEqualTo("persistent://city/traffic/area-7-alerts-car%2D4711-RETRY");
    assertThat(policy.getMaxRedeliverCount()).as("Pulsar's default").isEqualTo(16);
    assertThat(policy.getDeadLetterTopic()).as("left to Pulsar").isNull();
  }

  @Test
  void shouldKeepTheRestOfThePolicyAndThePolicyItself() throws Exception {
    DeadLetterPolicy mine =
        DeadLetterPolicy.builder()
            .maxRedeliverCount(3)
            .deadLetterTopic("dead")
            .initialSubscriptionName("morgue")
            .build();
    DeadLetterPolicy policy = subscribed(builder().deadLetterPolicy(mine).enableRetry(true));
    assertThat(policy.getMaxRedeliverCount()).isEqualTo(3);
    assertThat(policy.getDeadLetterTopic()).isEqualTo("dead");
    assertThat(policy.getInitialSubscriptionName()).isEqualTo("morgue");
    assertThat(policy.getRetryLetterTopic()).contains("car%2D4711");
    assertThat(mine.getRetryLetterTopic()).isNull();
  }

  @Test
  void shouldLeaveARetryTopicThatIsNamedAlone() throws Exception {
    DeadLetterPolicy mine =
        DeadLetterPolicy.builder().maxRedeliverCount(3).retryLetterTopic("retries").build();
    assertThat(subscribed(builder().enableRetry(true).deadLetterPolicy(mine))).isSameAs(mine);
  }

  @Test
  void shouldNotTouchWhatDoesNotRetryOrIsNotBroadcast() throws Exception {
    assertThat(subscribed(builder())).isNull();
    assertThat(subscribed(builder().enableRetry(true).enableRetry(false))).isNull();
    assertThat(subscribed(builder().enableRetry(true).subscriptionType(SubscriptionType.Shared)))
        .isNull();
  }

  @Test
  void shouldGiveConsumersWithoutANameDifferentRetryTopics() throws Exception {
    BroadcastConsumerBuilder<String> nameless =
        pulsar
            .broadcast
            .newConsumer(Schema.STRING)
            .topic("t")
            .subscriptionName("s")
            .subscriptionType(SubscriptionType.Broadcast)
            .enableRetry(true);
    String first = subscribed(nameless).getRetryLetterTopic();
    String second = subscribed(nameless).getRetryLetterTopic();
    assertThat(first).startsWith("t-s-broadcast%2D").endsWith("-RETRY").isNotEqualTo(second);
  }

  @Test
  void shouldNotTakeANameForComponentsOfATopic() throws Exception {
    assertThat(
            subscribed(builder().consumerName("fleet/car 1").enableRetry(true))
                .getRetryLetterTopic())
        .isEqualTo("persistent://city/traffic/area-7-alerts-fleet%2Fcar+1-RETRY");
  }

  /** Each would be sent what the other retries. */
  @Test
  void shouldTellNamesApartThatAreMadeOfTheSameParts() throws Exception {
    String one =
        subscribed(builder().subscriptionName("alerts").consumerName("eu-1").enableRetry(true))
            .getRetryLetterTopic();
    String other =
        subscribed(builder().subscriptionName("alerts-eu").consumerName("1").enableRetry(true))
            .getRetryLetterTopic();
    assertThat(one).isNotEqualTo(other);
  }

  /** Retries that wait are found again by who starts anew. */
  @Test
  void shouldNotDependOnTheOrderOfTopics() throws Exception {
    String topic = "persistent://city/traffic/area-6";
    assertThat(subscribed(builder().topic(topic).enableRetry(true)).getRetryLetterTopic())
        .startsWith(topic);
  }

  @Test
  void shouldTakeNumbersAsConfigurationFilesHaveThem() throws Exception {
    for (Object count : new Object[] {"3", 3L}) {
      assertThat(
              subscribed(builder().enableRetry(true).loadConf(policy(count)))
                  .getMaxRedeliverCount())
          .isEqualTo(3);
    }
    assertThatThrownBy(() -> builder().loadConf(policy("three")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("deadLetterPolicy: maxRedeliverCount is \"three\"; allowed: ");
  }

  private static Map<String, Object> policy(Object maxRedeliverCount) {
    return Map.of("deadLetterPolicy", Map.of("maxRedeliverCount", maxRedeliverCount));
  }

  @Test
  void shouldTakeRetriesFromAConfiguration() throws Exception {
    DeadLetterPolicy policy =
        subscribed(
            builder()
                .loadConf(
                    Map.of(
                        "subscriptionType",
                        "Broadcast",
                        "retryEnable",
                        true,
                        "deadLetterPolicy",
                        Map.of("maxRedeliverCount", 3, "deadLetterTopic", "dead"))));
    assertThat(policy.getMaxRedeliverCount()).isEqualTo(3);
    assertThat(policy.getDeadLetterTopic()).isEqualTo("dead");
    assertThat(policy.getRetryLetterTopic()).contains("car%2D4711");
  }

  @Test
  void shouldHavePulsarsCountWhereAConfigurationHasNone() throws Exception {
    DeadLetterPolicy policy =
        subscribed(
            builder()
                .enableRetry(true)
                .loadConf(Map.of("deadLetterPolicy", Map.of("deadLetterTopic", "dead"))));
    assertThat(policy.getMaxRedeliverCount()).isEqualTo(16);
    assertThat(policy.getDeadLetterTopic()).isEqualTo("dead");
  }

  /** The client refuses it, and says why; no name can be made of nothing. */
  @Test
  void shouldLeaveASubscribeWithoutASubscriptionToTheClient() throws Exception {
    assertThat(
            subscribed(
                pulsar
                    .broadcast
                    .newConsumer()
                    .topic("t")
                    .subscriptionType(SubscriptionType.Broadcast)
                    .enableRetry(true)))
        .isNull();
  }
}
