/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pulsarbroadcast.client.BroadcastClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.ConsumerBuilderImpl;
import org.apache.pulsar.client.impl.conf.ConsumerConfigurationData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
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
  void shouldChooseTheContractWhateverTheApplicationsDefaultTypeIs() {
    application
        .withPropertyValues("spring.pulsar.consumer.subscription.type=shared")
        .run(
            context ->
                assertThat(
                        told(context, List.of(named(context, "broadcast"))).getSubscriptionType())
                    .isEqualTo(SubscriptionType.Exclusive));
  }

  @Test
  void shouldKeepTheApplicationsNameAndTopicPrefix() {
    application
        .withPropertyValues(
            "spring.pulsar.defaults.topic.tenant=city",
            "spring.pulsar.defaults.topic.namespace=traffic",
            "spring.pulsar.consumer.name=car 1",
            "spring.pulsar.consumer.retry-enable=true")
        .run(
            context -> {
              ConsumerConfigurationData<?> told =
                  told(context, List.of(named(context, "broadcast")));
              assertThat(told.getConsumerName()).isEqualTo("car 1");
              assertThat(told.getDeadLetterPolicy().getRetryLetterTopic())
                  .isEqualTo("persistent://city/traffic/area-7-s-car+1-RETRY");
            });
  }

  @Test
  void shouldServeSeveralClients() {
    application
        .withUserConfiguration(OtherClient.class)
        .run(
            context -> {
              PulsarConsumerFactory<String> other =
                  new DefaultPulsarConsumerFactory<>(
                      context.getBean("otherClient", PulsarClient.class), null);
              List<ConsumerBuilder<String>> builders = new ArrayList<>();
              ConsumerBuilderCustomizer<String> customizer =
                  builder -> {
                    named(context, "broadcast").customize(builder);
                    builders.add(builder);
                  };
              assertThat(
                      catchThrowable(
                          () ->
                              other.createConsumer(
                                  Schema.STRING, List.of("area-7"), "s", customizer)))
                  .isNotNull();
              assertThat(((ConsumerBuilderImpl<String>) builders.get(0)).getConf())
                  .extracting(ConsumerConfigurationData::getConsumerName)
                  .asString()
                  .startsWith("broadcast-");
            });
  }

  @Test
  void shouldBeThereForACustomizerThatCallsIt() {
    application
        .withUserConfiguration(CallingCustomizer.class)
        .run(
            context -> {
              ConsumerConfigurationData<?> told = told(context, List.of(named(context, "mine")));
              assertThat(told.getReceiverQueueSize()).isEqualTo(7);
              assertThat(told.getConsumerName()).startsWith("broadcast-");
            });
  }

  @Test
  void shouldSayWhichBuilderItCannotPrepare() {
    application.run(
        context -> {
          ConsumerBuilder<String> wrapped =
              BroadcastClient.wrap(context.getBean(PulsarClient.class)).newConsumer(Schema.STRING);
          assertThatThrownBy(() -> named(context, "broadcast").customize(wrapped))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("allowed: that of the stock client");
        });
  }

  @Test
  void shouldLeaveABeanOfTheSameNameAlone() {
    application
        .withBean("broadcast", String.class, () -> "the application's own")
        .run(
            context -> {
              assertThat(context.getBean("broadcast")).isEqualTo("the application's own");
              assertThat(context).hasBean("broadcastUnordered");
            });
  }

  @Test
  void shouldLeaveAloneWhoWantsNoBroadcast() {
    application.run(
        context -> {
          ConsumerConfigurationData<?> told = told(context, List.of());
          assertThat(told.getProperties()).isEmpty();
          assertThat(told.getConsumerName()).isNull();
        });
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
  static class CallingCustomizer {
    @Bean
    PulsarListenerConsumerBuilderCustomizer<Object> mine(
        @Qualifier("broadcast") BroadcastCustomizer broadcast) {
      return builder -> broadcast.customize(builder.receiverQueueSize(7));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherClient {
    @Bean
    PulsarClient otherClient() throws PulsarClientException {
      return PulsarClient.builder()
          .serviceUrl("pulsar://localhost:1")
          .operationTimeout(1, TimeUnit.MILLISECONDS)
          .lookupTimeout(1, TimeUnit.MILLISECONDS)
          .build();
    }
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
