/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.ConsumerBuilderImpl;
import org.apache.pulsar.client.impl.conf.ConsumerConfigurationData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.pulsar.PulsarAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.pulsar.annotation.PulsarListener;
import org.springframework.pulsar.annotation.PulsarListenerConsumerBuilderCustomizer;
import org.springframework.pulsar.config.PulsarListenerEndpointRegistry;
import org.springframework.pulsar.core.ConsumerBuilderCustomizer;
import org.springframework.pulsar.core.DefaultPulsarConsumerFactory;
import org.springframework.pulsar.core.PulsarConsumerFactory;
import org.springframework.pulsar.listener.AbstractPulsarMessageListenerContainer;

/** What Spring makes of the beans, without a broker; SpringProcessIT has one. */
@Timeout(60)
class BroadcastAutoConfigurationTest {
  private static final String TYPE = "pulsar.subscription.type";

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PulsarAutoConfiguration.class, BroadcastAutoConfiguration.class))
          // Nothing listens there, and nobody asks.
          .withPropertyValues(
              "spring.pulsar.client.service-url=pulsar://localhost:1",
              "spring.pulsar.client.operation-timeout=1ms",
              "spring.pulsar.client.lookup-timeout=1ms",
              "pulsar.broadcast.probe=false");

  /** The builder of a consumer that cannot subscribe, as it was when it tried. */
  private static ConsumerConfigurationData<?> told(
      ApplicationContext context, List<ConsumerBuilderCustomizer<String>> customizers) {
    PulsarConsumerFactory<String> factory = factory(context);
    List<ConsumerBuilder<String>> builders = new ArrayList<>();
    List<ConsumerBuilderCustomizer<String>> all = new ArrayList<>(customizers);
    all.add(builders::add);
    assertThat(
            catchThrowable(
                () -> factory.createConsumer(Schema.STRING, List.of("area-7"), "s", null, all)))
        .isNotNull();
    return ((ConsumerBuilderImpl<?>) builders.get(0)).getConf();
  }

  @SuppressWarnings("unchecked")
  private static PulsarConsumerFactory<String> factory(ApplicationContext context) {
    return context.getBean(PulsarConsumerFactory.class);
  }

  @SuppressWarnings("unchecked")
  private static ConsumerBuilderCustomizer<String> named(ApplicationContext context, String name) {
    return context.getBean(name, PulsarListenerConsumerBuilderCustomizer.class)::customize;
  }

  @Test
  void shouldGuardWhoNamesTheCustomizer() {
    application.run(
        context -> {
          ConsumerConfigurationData<?> first = told(context, List.of(named(context, "broadcast")));
          ConsumerConfigurationData<?> second = told(context, List.of(named(context, "broadcast")));
          assertThat(first.getProperties()).containsEntry(TYPE, "Broadcast");
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
        context -> {
          ConsumerConfigurationData<?> told =
              told(context, List.of(named(context, "broadcastUnordered")));
          assertThat(told.getProperties()).containsEntry(TYPE, "Broadcast");
          assertThat(told.getSubscriptionType()).isEqualTo(SubscriptionType.Shared);
        });
  }

  @Test
  void shouldGuardWhoSetsThePropertyThemselves() {
    application
        .withPropertyValues(
            "spring.pulsar.defaults.topic.tenant=city",
            "spring.pulsar.defaults.topic.namespace=traffic",
            "spring.pulsar.consumer.name=car 1",
            "spring.pulsar.consumer.retry-enable=true")
        .run(
            context -> {
              ConsumerConfigurationData<?> told =
                  told(context, List.of(builder -> builder.property(TYPE, "Broadcast")));
              assertThat(told.getConsumerName()).isEqualTo("car 1");
              assertThat(told.getDeadLetterPolicy().getRetryLetterTopic())
                  .isEqualTo("persistent://city/traffic/area-7-s-car+1-RETRY");
            });
  }

  @Test
  void shouldGuardTheFactorysOtherMethodToo() {
    application.run(
        context -> {
          List<ConsumerBuilder<String>> builders = new ArrayList<>();
          ConsumerBuilderCustomizer<String> customizer =
              builder -> builders.add(builder.property(TYPE, "Broadcast"));
          assertThat(
                  catchThrowable(
                      () ->
                          factory(context)
                              .createConsumer(Schema.STRING, List.of("area-7"), "s", customizer)))
              .isNotNull();
          assertThat(((ConsumerBuilderImpl<String>) builders.get(0)).getConf().getConsumerName())
              .startsWith("broadcast-");
        });
  }

  @Test
  void shouldLeaveAloneWhoWantsNoBroadcast() {
    application.run(
        context -> {
          ConsumerConfigurationData<?> told = told(context, List.of());
          assertThat(told.getProperties()).isEmpty();
          assertThat(told.getConsumerName()).isNull();
          assertThat(
                  catchThrowable(
                      () ->
                          factory(context)
                              .createConsumer(Schema.STRING, List.of("area-7"), "s", null, null)))
              .as("no customizers at all")
              .hasMessageNotContaining("null");
        });
  }

  @Test
  void shouldKeepTheFactorysClass() {
    application.run(
        context -> assertThat(context.getBean(DefaultPulsarConsumerFactory.class)).isNotNull());
  }

  @Test
  void shouldAddNothingToTheClientsThatSpringInjects() {
    application.run(
        context -> assertThat(context.getBeanNamesForType(PulsarClient.class)).hasSize(1));
  }

  /** Spring gives a customizer that is the only one to a listener that is the only one. */
  @Test
  void shouldNotMakeAListenerBroadcastThatDoesNotSaySo() {
    application
        .withUserConfiguration(OneListener.class)
        .run(context -> assertThat(customizerOf(context)).isNull());
  }

  @Test
  void shouldLeaveTheOnlyListenerTheOnlyCustomizerOfTheApplication() {
    application
        .withUserConfiguration(OneListener.class, OneCustomizer.class)
        .run(context -> assertThat(customizerOf(context)).isNotNull());
  }

  private static Object customizerOf(ApplicationContext context) {
    return ((AbstractPulsarMessageListenerContainer<?>)
            context.getBean(PulsarListenerEndpointRegistry.class).getListenerContainer("one"))
        .getConsumerBuilderCustomizer();
  }

  @Configuration(proxyBeanMethods = false)
  static class OneListener {
    @PulsarListener(id = "one", topics = "area-7", subscriptionName = "s", autoStartup = "false")
    void handle(String message) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class OneCustomizer {
    @Bean
    PulsarListenerConsumerBuilderCustomizer<String> mine() {
      return builder -> builder.receiverQueueSize(7);
    }
  }
}
