/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.netty.util.concurrent.FastThreadLocal;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.ServerCnx;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.common.naming.TopicName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the broker's INFO lines about single consumers out of its log when the consumers are
 * Broadcast ones: it writes several for each that comes or goes, which for 100,000 is a large part
 * of the time that connecting them takes. The subscription reports numbers instead, and the topic
 * ({@link RefusalReport}) for the warning about each that brings too many names. Lines about all
 * other consumers, and other warnings, stay.
 *
 * <p>May be used from any thread. A broker that logs with something else than Log4j 2, or whose
 * logging configuration is loaded anew, writes the lines.
 */
public final class ConsumerLogFilter extends AbstractFilter {

  private static final Logger log = LoggerFactory.getLogger(ConsumerLogFilter.class);
  private static final Class<?>[] LOGGERS = {ServerCnx.class, Consumer.class};
  private static final FastThreadLocal<Boolean> QUIET = new FastThreadLocal<>();

  private final BrokerService broker;

  private ConsumerLogFilter(BrokerService broker) {
    super(Result.DENY, Result.NEUTRAL);
    this.broker = broker;
  }

  /** Puts the filter in front of the two loggers that write such lines, and no other. */
  public static void install(BrokerService broker) {
    try {
      if (LogManager.getContext(false) instanceof LoggerContext context) {
        Configuration configuration = context.getConfiguration();
        for (Class<?> logger : LOGGERS) {
          loggerConfig(configuration, logger.getName()).addFilter(new ConsumerLogFilter(broker));
        }
        context.updateLoggers();
      }
    } catch (LinkageError e) {
      log.info("The broker's lines about single consumers stay in its log: {}", e.toString());
    }
  }

  private static LoggerConfig loggerConfig(Configuration configuration, String name) {
    LoggerConfig nearest = configuration.getLoggerConfig(name);
    if (nearest.getName().equals(name)) {
      return nearest;
    }
    // No level of its own: it has that of the nearest one above.
    LoggerConfig own = new LoggerConfig(name, null, true);
    configuration.addLogger(name, own);
    return own;
  }

  /** Runs a task about one Broadcast consumer. */
  public static void quietly(Runnable task) {
    Boolean before = QUIET.get();
    QUIET.set(Boolean.TRUE);
    try {
      task.run();
    } finally {
      QUIET.set(before);
    }
  }

  @Override
  public Result filter(LogEvent event) {
    Object[] parameters = event.getMessage().getParameters();
    boolean denied =
        event.getLevel() == Level.INFO
            ? Boolean.TRUE.equals(QUIET.get()) || isOfBroadcast(parameters)
            : event.getLevel() == Level.WARN && isOfNewName(parameters);
    return denied ? onMatch : onMismatch;
  }

  /** Whether a line ends with why a new name is refused. */
  private static boolean isOfNewName(Object[] parameters) {
    return parameters != null
        && parameters.length > 0
        && parameters[parameters.length - 1] instanceof String reason
        && reason.contains(BroadcastConfig.MAX_NEW_NAMES);
  }

  /**
   * Whether a line is about a subscribe to a Broadcast subscription: from 4.2 on the broker writes
   * them in later tasks, after whoever, and topic and subscription.
   */
  private boolean isOfBroadcast(Object[] parameters) {
    return parameters != null
        && parameters.length > 2
        && parameters[1] instanceof TopicName topic
        && parameters[2] instanceof String subscription
        && broker
            .getTopicReference(topic.toString())
            .map(loaded -> loaded.getSubscription(subscription))
            .map(Subscription::getTypeString)
            .filter(BroadcastContract.BROADCAST::equals)
            .isPresent();
  }
}
