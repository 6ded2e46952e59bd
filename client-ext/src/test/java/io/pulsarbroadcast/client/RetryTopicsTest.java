/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;

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
        .isEqualTo("persistent://city/traffic/area-7-alerts-car-4711-RETRY");
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
    assertThat(policy.getRetryLetterTopic()).contains("car-4711");
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
    assertThat(first).startsWith("t-s-broadcast-").endsWith("-RETRY").isNotEqualTo(second);
  }

  @Test
  void shouldNotTakeANameForComponentsOfATopic() throws Exception {
    assertThat(
            subscribed(builder().consumerName("fleet/car 1").enableRetry(true))
                .getRetryLetterTopic())
        .isEqualTo("persistent://city/traffic/area-7-alerts-fleet%2Fcar+1-RETRY");
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
    assertThat(policy.getRetryLetterTopic()).contains("car-4711");
  }
}
