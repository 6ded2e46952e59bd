/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.reactive.client.api.MutableReactiveMessageConsumerSpec;
import org.apache.pulsar.reactive.client.api.ReactiveMessageConsumerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.pulsar.PulsarAutoConfiguration;
import org.springframework.boot.autoconfigure.pulsar.PulsarReactiveAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.pulsar.reactive.config.ReactivePulsarListenerEndpointRegistry;
import org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListener;
import org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListenerMessageConsumerBuilderCustomizer;
import org.springframework.pulsar.reactive.core.ReactiveMessageConsumerBuilderCustomizer;
import org.springframework.pulsar.reactive.core.ReactivePulsarConsumerFactory;
import org.springframework.pulsar.reactive.listener.DefaultReactivePulsarMessageListenerContainer;
import reactor.core.publisher.Mono;

/** What Spring makes of the reactive beans, without a broker; SpringProcessIT has one. */
@Timeout(60)
class ReactiveAutoConfigurationTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PulsarAutoConfiguration.class,
                  PulsarReactiveAutoConfiguration.class,
                  BroadcastAutoConfiguration.class))
          .withPropertyValues(
              "spring.pulsar.client.service-url=pulsar://localhost:1",
              "spring.pulsar.consumer.subscription.type=failover",
              "spring.pulsar.consumer.retry-enable=true",
              "pulsar.broadcast.probe=false");

  @SuppressWarnings("unchecked")
  private static MutableReactiveMessageConsumerSpec told(
      ApplicationContext context, String customizer) {
    return told(
        context,
        context.getBean(customizer, ReactivePulsarListenerMessageConsumerBuilderCustomizer.class)
            ::customize);
  }

  /** What a consumer of the application would subscribe with. */
  @SuppressWarnings("unchecked")
  private static MutableReactiveMessageConsumerSpec told(
      ApplicationContext context, ReactiveMessageConsumerBuilderCustomizer<Object> customizer) {
    List<ReactiveMessageConsumerBuilder<Object>> builders = new ArrayList<>();
    List<ReactiveMessageConsumerBuilderCustomizer<Object>> all =
        List.of(
            builder -> builder.topic("area-7").subscriptionName("s"), customizer, builders::add);
    context.getBean(ReactivePulsarConsumerFactory.class).createConsumer(Schema.STRING, all);
    return builders.get(0).getMutableSpec();
  }

  @Test
  void shouldGuardWhoNamesTheCustomizer() {
    application.run(
        context -> {
          MutableReactiveMessageConsumerSpec first = told(context, "broadcastReactive");
          MutableReactiveMessageConsumerSpec second = told(context, "broadcastReactive");
          assertThat(first.getProperties()).containsEntry("pulsar.subscription.type", "Broadcast");
          assertThat(first.getSubscriptionType()).isEqualTo(SubscriptionType.Exclusive);
          assertThat(first.getConsumerName()).startsWith("broadcast-");
          assertThat(second.getConsumerName())
              .startsWith("broadcast-")
              .isNotEqualTo(first.getConsumerName());
        });
  }

  @Test
  void shouldOfferTheUnorderedContract() {
    application.run(
        context ->
            assertThat(told(context, "broadcastReactiveUnordered").getSubscriptionType())
                .isEqualTo(SubscriptionType.Shared));
  }

  @Test
  void shouldKeepTheApplicationsNameAndReadNoRetriesOfOthers() {
    application
        .withPropertyValues("spring.pulsar.consumer.name=car 1")
        .run(
            context -> {
              MutableReactiveMessageConsumerSpec told = told(context, "broadcastReactive");
              assertThat(told.getConsumerName()).isEqualTo("car 1");
              assertThat(told.getRetryLetterTopicEnable()).isFalse();
            });
  }

  /** Spring gives a customizer that is the only one to a listener that is the only one. */
  @Test
  void shouldNotMakeAListenerBroadcastThatDoesNotSaySo() {
    application
        .withUserConfiguration(OneListener.class)
        .run(context -> assertThat(told(context, customizerOf(context)).getProperties()).isNull());
  }

  @Test
  void shouldDoWithoutTheReactiveModule() {
    application
        .withClassLoader(
            new FilteredClassLoader(ReactivePulsarListenerMessageConsumerBuilderCustomizer.class))
        .run(
            context ->
                assertThat(context)
                    .hasBean("broadcast")
                    .doesNotHaveBean("broadcastReactive")
                    .doesNotHaveBean("broadcastReactiveUnordered"));
  }

  @SuppressWarnings("unchecked")
  private static ReactiveMessageConsumerBuilderCustomizer<Object> customizerOf(
      ApplicationContext context) {
    return ((DefaultReactivePulsarMessageListenerContainer<Object>)
            context
                .getBean(ReactivePulsarListenerEndpointRegistry.class)
                .getListenerContainer("one"))
        .getConsumerCustomizer();
  }

  @Configuration(proxyBeanMethods = false)
  static class OneListener {
    @ReactivePulsarListener(
        id = "one",
        topics = "area-7",
        subscriptionName = "s",
        autoStartup = "false")
    Mono<Void> handle(String message) {
      return Mono.empty();
    }
  }
}
