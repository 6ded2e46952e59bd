/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs. Stateless. */
public final class LogLines {

  private LogLines() {}

  /** What the class logs while the task runs, each line with its level. */
  public static List<String> of(Class<?> type, Runnable task) {
    return of(type.getName(), task);
  }

  /** The same of a logger that is not named after a class. */
  public static List<String> of(String name, Runnable task) {
    List<String> lines = new ArrayList<>();
    AbstractAppender appender =
        new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
          }
        };
    appender.start();
    Logger logger = (Logger) LogManager.getLogger(name);
    logger.addAppender(appender);
    try {
      task.run();
    } finally {
      logger.removeAppender(appender);
      appender.stop();
    }
    return lines;
  }
}
