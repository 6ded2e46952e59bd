/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import io.pulsarbroadcast.client.BroadcastClient;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.pulsar.client.api.PulsarClient;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.pulsar.core.ConsumerBuilderCustomizer;
import org.springframework.pulsar.core.PulsarConsumerFactory;
import org.springframework.pulsar.core.PulsarTopicBuilder;
import org.springframework.util.function.SingletonSupplier;

/**
 * Adds a {@link ConsumerGuard} to what a consumer factory is told, after all customizers: only then
 * is it known what will be subscribed.
 */
final class ConsumerFactoryPostProcessor implements BeanPostProcessor {
  private final SingletonSupplier<ConsumerGuard> guard;

  ConsumerFactoryPostProcessor(
      ObjectProvider<PulsarClient> clients,
      ObjectProvider<PulsarTopicBuilder> topicBuilders,
      BooleanSupplier probe) {
    this.guard =
        SingletonSupplier.of(
            () ->
                new ConsumerGuard(
                    probe.getAsBoolean()
                        ? BroadcastClient.wrap(clients.getObject())
                        : BroadcastClient.wrapWithoutProbe(clients.getObject()),
                    topicBuilders));
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (!(bean instanceof PulsarConsumerFactory<?>)) {
      return bean;
    }
    ProxyFactory proxy = new ProxyFactory(bean);
    // Some may want its class, and not only the interface.
    proxy.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
    proxy.addAdvice((MethodInterceptor) this::guarded);
    return proxy.getProxy(bean.getClass().getClassLoader());
  }

  /** The customizers are the last argument of both methods: a list of them, or one. */
  private Object guarded(MethodInvocation invocation) throws Throwable {
    if (invocation.getMethod().getName().equals("createConsumer")) {
      Object[] arguments = invocation.getArguments();
      int last = arguments.length - 1;
      arguments[last] =
          invocation.getMethod().getParameterTypes()[last] == List.class
              ? withGuard((List<?>) arguments[last])
              : withGuard((ConsumerBuilderCustomizer<?>) arguments[last]);
    }
    return invocation.proceed();
  }

  private List<Object> withGuard(List<?> customizers) {
    List<Object> all = customizers == null ? new ArrayList<>() : new ArrayList<>(customizers);
    all.add(guard.obtain());
    return all;
  }

  private <T> ConsumerBuilderCustomizer<T> withGuard(ConsumerBuilderCustomizer<T> customizer) {
    return builder -> {
      if (customizer != null) {
        customizer.customize(builder);
      }
      guard.obtain().prepare(builder);
    };
  }
}
