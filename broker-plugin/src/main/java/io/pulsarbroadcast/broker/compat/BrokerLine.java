/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import com.google.common.collect.Maps;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.service.AbstractTopic;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.TransportCnx;
import org.apache.pulsar.broker.service.persistent.DispatchRateLimiter;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.policies.data.ClusterData.ClusterUrl;

/**
 * The calls that differ between the broker lines that one binary serves, by reflection
 * (docs/decisions/0001); what is called for every message is in {@link LineCalls}. Stateless; may
 * be called from any thread. What this broker lacks is said by {@link #verify}.
 */
public final class BrokerLine {

  /** From 3.2 on the constructor takes {@code Boolean replicated}, before it {@code boolean}. */
  private static final Constructor<?> SUBSCRIPTION_TAKES_BOXED =
      subscriptionConstructor(Boolean.class);

  /**
   * Fences a subscription and disconnects its consumers. 3.3: {@code close(true, Optional)}; 3.0:
   * disconnect().
   */
  private static final Method CLOSE_SUBSCRIPTION =
      method(PersistentSubscription.class, "close", boolean.class, Optional.class);

  private static final Method CLOSE_SUBSCRIPTION_30 =
      method(PersistentSubscription.class, "disconnect");

  /** 3.3 tells the client where the topic goes. */
  private static final Method DISCONNECT_CONSUMER =
      method(Consumer.class, "disconnect", boolean.class, Optional.class);

  /** 3.0 answers Boolean or null, 3.3 Optional of Boolean. */
  private static final Method CHECK_LIVENESS =
      method(TransportCnx.class, "checkConnectionLiveness");

  /** From 3.1 on {@code consumeDispatchQuota(long, long)}; in 3.0 {@code tryDispatchPermit}. */
  private static final Method CONSUME_QUOTA =
      firstOf(
          method(DispatchRateLimiter.class, "consumeDispatchQuota", long.class, long.class),
          method(DispatchRateLimiter.class, "tryDispatchPermit", long.class, long.class));

  /** From 3.2 on {@code Boolean}, with null for neither; before it {@code boolean}. */
  private static final Method ASKS_FOR_REPLICATION =
      firstOf(
          method(SubscriptionOption.class, "getReplicatedSubscriptionStateArg"),
          method(SubscriptionOption.class, "isReplicatedSubscriptionStateArg"));

  /** Late 3.3 makes rate limiters in a factory, which other lines do not have. */
  private static final Method RATE_LIMITER_FACTORY =
      method(BrokerService.class, "getDispatchRateLimiterFactory");

  private static final Method MAKE_RATE_LIMITER =
      RATE_LIMITER_FACTORY == null
          ? null
          : method(
              RATE_LIMITER_FACTORY.getReturnType(),
              "createSubscriptionDispatchRateLimiter",
              PersistentTopic.class,
              String.class);

  /** Of lines without a factory. */
  private static final Constructor<?> RATE_LIMITER =
      constructor(
          DispatchRateLimiter.class,
          PersistentTopic.class,
          String.class,
          DispatchRateLimiter.Type.class);

  /** From 4.2 on of another class. */
  private static final Method ENTRIES_OF_LEDGER =
      getter(classIn(method(ManagedLedgerImpl.class, "getLedgersInfo")), "getEntries");

  /** Late 3.3 keeps whether anybody has said it. */
  private static final Method SAYS_REPLICATED =
      method(PersistentSubscription.class, "getReplicatedControlled");

  private static final Field RESET_UNDER_WAY =
      hiddenField(PersistentSubscription.class, "inProgressResetCursorFuture");

  /**
   * From 4.2 on a reset by time does not go through the one to a position, but through this; {@link
   * Linkage} checks that it is the one or the other.
   */
  private static final Method RESET_BY_TIME =
      hiddenMethod(PersistentSubscription.class, Linkage.RESET_BY_TIME);

  /** The one of a topic waits for the metadata store, on a thread that its answer may need. */
  private static final Method MIGRATED_CLUSTER_URL =
      method(AbstractTopic.class, "getMigratedClusterUrlAsync", PulsarService.class, String.class);

  /** In 3.0. */
  private static final Method MIGRATED_CLUSTER_URL_30 =
      method(AbstractTopic.class, "getMigratedClusterUrlAsync", PulsarService.class);

  private BrokerLine() {}

  /**
   * Checks that this broker has what the plugin calls.
   *
   * @throws IllegalStateException naming what is missing
   */
  public static void verify() {
    require(
        SUBSCRIPTION_TAKES_BOXED != null || subscriptionConstructor(boolean.class) != null,
        "constructor PersistentSubscription(PersistentTopic, String, ManagedCursor, Boolean or boolean, Map)");
    require(
        CLOSE_SUBSCRIPTION != null || CLOSE_SUBSCRIPTION_30 != null,
        "method PersistentSubscription.close(boolean, Optional) or disconnect()");
    require(
        CONSUME_QUOTA != null,
        "method DispatchRateLimiter.consumeDispatchQuota(long, long) or tryDispatchPermit(long, long)");
    require(
        ASKS_FOR_REPLICATION != null,
        "method SubscriptionOption.getReplicatedSubscriptionStateArg() or isReplicatedSubscriptionStateArg()");
    require(RESET_UNDER_WAY != null, "field PersistentSubscription.inProgressResetCursorFuture");
    require(
        MIGRATED_CLUSTER_URL != null || MIGRATED_CLUSTER_URL_30 != null,
        "method AbstractTopic.getMigratedClusterUrlAsync(PulsarService, String)");
    require(CHECK_LIVENESS != null, "method TransportCnx.checkConnectionLiveness()");
    require(
        RATE_LIMITER_FACTORY != null ? MAKE_RATE_LIMITER != null : RATE_LIMITER != null,
        "method DispatchRateLimiterFactory.createSubscriptionDispatchRateLimiter(PersistentTopic, String),"
            + " or constructor DispatchRateLimiter(PersistentTopic, String, Type)");
    require(
        ENTRIES_OF_LEDGER != null,
        "method getEntries() of the values of ManagedLedgerImpl.getLedgersInfo()");
    CursorState.verify();
    ShadowLedger.verify();
  }

  /** Whether a ledger takes nothing any more, because it has been closed. */
  public static boolean isClosed(ManagedLedger ledger) {
    return ((ManagedLedgerImpl) ledger).getState() == ManagedLedgerImpl.State.Closed;
  }

  /** A subscription of the broker's own kind. */
  public static PersistentSubscription newSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      boolean replicated,
      Map<String, String> properties) {
    return makeSubscription(topic, name, cursor, replicated, properties);
  }

  /** Another subscription of the broker's own kind, like one that is closed. */
  public static PersistentSubscription anew(PersistentTopic topic, PersistentSubscription closed) {
    return makeSubscription(
        topic,
        closed.getName(),
        closed.getCursor(),
        // Null: as the namespace's policy says.
        SAYS_REPLICATED != null ? call(SAYS_REPLICATED, closed) : closed.isReplicated(),
        closed.getSubscriptionProperties());
  }

  private static PersistentSubscription makeSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      Object replicated,
      Map<String, String> properties) {
    try {
      Constructor<?> constructor =
          subscriptionTakesBoxed()
              ? SUBSCRIPTION_TAKES_BOXED
              : subscriptionConstructor(boolean.class);
      return (PersistentSubscription)
          constructor.newInstance(topic, name, cursor, replicated, properties);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This broker's subscription cannot be made", e);
    }
  }

  /** Whether a subscribe asks for the subscription's state to be replicated. */
  public static boolean asksForReplication(SubscriptionOption option) {
    return Boolean.TRUE.equals(call(ASKS_FOR_REPLICATION, option));
  }

  /** Whether the constructor of a subscription takes {@code Boolean replicated}. */
  public static boolean subscriptionTakesBoxed() {
    return SUBSCRIPTION_TAKES_BOXED != null;
  }

  /** Fences a subscription and disconnects its consumers; the cursor stays open. */
  @SuppressWarnings("unchecked")
  public static CompletableFuture<Void> close(PersistentSubscription subscription) {
    Object closed =
        CLOSE_SUBSCRIPTION != null
            ? call(CLOSE_SUBSCRIPTION, subscription, true, Optional.empty())
            : call(CLOSE_SUBSCRIPTION_30, subscription);
    return (CompletableFuture<Void>) closed;
  }

  /** Whether an operator's reset of a subscription is under way. */
  public static boolean isBeingReset(PersistentSubscription subscription) {
    return resetUnderWay(subscription) != null;
  }

  /** An operator's reset of a subscription that is under way, or null. */
  public static CompletableFuture<?> resetUnderWay(PersistentSubscription subscription) {
    try {
      return (CompletableFuture<?>) RESET_UNDER_WAY.get(subscription);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether an operator's reset by time moves a subscription without asking for a position's. */
  public static boolean resetsByTimeItself() {
    return RESET_BY_TIME != null;
  }

  /**
   * Tells the client to reconnect and removes the consumer.
   *
   * @param newOwner where the topic goes, for lines that know: an Optional of BrokerLookupData
   */
  public static void disconnect(Consumer consumer, boolean isResetCursor, Optional<?> newOwner) {
    if (DISCONNECT_CONSUMER != null) {
      call(DISCONNECT_CONSUMER, consumer, isResetCursor, newOwner);
    } else {
      consumer.disconnect(isResetCursor);
    }
  }

  /**
   * Asks a connection's client for a sign of life.
   *
   * @return false when the connection is dead, and then closed; true when it lives, or when the
   *     broker does not check
   */
  public static CompletableFuture<Boolean> isAlive(TransportCnx connection) {
    return ((CompletableFuture<?>) call(CHECK_LIVENESS, connection))
        .thenApply(
            answer -> {
              Object alive =
                  answer instanceof Optional<?> optional ? optional.orElse(null) : answer;
              return !Boolean.FALSE.equals(alive);
            });
  }

  /** A limit of a subscription's dispatch rate, as its policies say. */
  public static DispatchRateLimiter newSubscriptionRateLimiter(PersistentTopic topic, String name) {
    if (RATE_LIMITER_FACTORY != null) {
      Object factory = call(RATE_LIMITER_FACTORY, topic.getBrokerService());
      return (DispatchRateLimiter) call(MAKE_RATE_LIMITER, factory, topic, name);
    }
    try {
      return (DispatchRateLimiter)
          RATE_LIMITER.newInstance(topic, name, DispatchRateLimiter.Type.SUBSCRIPTION);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This broker's rate limiter cannot be made", e);
    }
  }

  /** Counts what was sent. */
  public static void consume(DispatchRateLimiter limiter, long messages, long bytes) {
    call(CONSUME_QUOTA, limiter, messages, bytes);
  }

  /** Where a topic that has migrated is now; empty while its cluster does not say. */
  @SuppressWarnings("unchecked")
  public static CompletableFuture<Optional<ClusterUrl>> migratedClusterUrl(PersistentTopic topic) {
    PulsarService pulsar = topic.getBrokerService().getPulsar();
    return (CompletableFuture<Optional<ClusterUrl>>)
        (MIGRATED_CLUSTER_URL != null
            ? call(MIGRATED_CLUSTER_URL, null, pulsar, topic.getName())
            : call(MIGRATED_CLUSTER_URL_30, null, pulsar));
  }

  /**
   * How many entries each closed ledger has, by ledger id; a view. From 4.2 on the broker has
   * another class for what it knows of a ledger.
   */
  public static NavigableMap<Long, Long> entriesOfLedgers(ManagedLedgerImpl ledger) {
    NavigableMap<Long, ?> known = ledger.getLedgersInfo();
    return Maps.transformValues(known, info -> (Long) call(ENTRIES_OF_LEDGER, info));
  }

  private static Method firstOf(Method one, Method other) {
    return one != null ? one : other;
  }

  /**
   * The superclass's {@code close(boolean, boolean)}, for a topic that overrides it; null in 3.0,
   * which has no such method and so never calls the override.
   */
  public static MethodHandle superClose(MethodHandles.Lookup topic, Class<?> topicClass) {
    try {
      return topic.findSpecial(
          PersistentTopic.class,
          "close",
          MethodType.methodType(CompletableFuture.class, boolean.class, boolean.class),
          topicClass);
    } catch (NoSuchMethodException e) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Calls {@link #superClose}. */
  @SuppressWarnings("unchecked")
  public static CompletableFuture<Void> superClose(
      MethodHandle close, PersistentTopic topic, boolean first, boolean second) {
    try {
      return (CompletableFuture<Void>) close.invoke(topic, first, second);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * The class of what is in the collection that a method returns, in a map as its values: it
   * differs between lines; null when there is no such method.
   */
  static Class<?> classIn(Method method) {
    return method != null
            && method.getGenericReturnType() instanceof ParameterizedType collection
            && collection.getActualTypeArguments()[collection.getActualTypeArguments().length - 1]
                instanceof Class<?> element
        ? element
        : null;
  }

  /** A public method without parameters; null when there is none, or no class. */
  static Method getter(Class<?> type, String name) {
    return type == null ? null : method(type, name);
  }

  /** Calls a method; a checked exception comes as the cause of an IllegalStateException. */
  static Object call(Method method, Object target, Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Constructor<?> subscriptionConstructor(Class<?> replicated) {
    return constructor(
        PersistentSubscription.class,
        PersistentTopic.class,
        String.class,
        ManagedCursor.class,
        replicated,
        Map.class);
  }

  private static Constructor<?> constructor(Class<?> type, Class<?>... parameters) {
    try {
      return type.getConstructor(parameters);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  private static Method method(Class<?> type, String name, Class<?>... parameters) {
    try {
      return type.getMethod(name, parameters);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** The one method of a name that the broker keeps to itself; null when there is not one. */
  static Method hiddenMethod(Class<?> type, String name) {
    List<Method> named =
        Stream.of(type.getDeclaredMethods())
            .filter(method -> method.getName().equals(name))
            .toList();
    if (named.size() != 1) {
      return null;
    }
    named.get(0).setAccessible(true);
    return named.get(0);
  }

  /** A field that the broker keeps to itself; null when there is none. */
  static Field hiddenField(Class<?> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      return null;
    }
  }

  static void require(boolean present, String what) {
    if (!present) {
      throw new IllegalStateException("this broker has no " + what);
    }
  }
}
