/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What {@link ListenerExecutors} says where something is missing or wrong, on every client. */
class ListenerExecutorsTest {
  private static final boolean SUPPORTED = isInClient();

  private static boolean isInClient() {
    try {
      Class.forName("org.apache.pulsar.client.api.MessageListenerExecutor");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** For tests that run on 21 or later. */
  static ThreadFactory virtualThreads() {
    return ListenerExecutors.virtualThreadFactory("test");
  }

  @Test
  void shouldSayWhatIsMissingOnAClientWithoutListenerExecutors() {
    if (SUPPORTED) {
      assertThat(threads()).isNotNull();
    } else {
      assertThatThrownBy(ListenerExecutorsTest::threads)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage(
              "This Pulsar client has no org.apache.pulsar.client.api.MessageListenerExecutor;"
                  + " use one of 3.0.7 or a later 3.0, or of 4.0 or later");
    }
  }

  @Test
  @EnabledForJreRange(
      max = JRE.JAVA_20,
      disabledReason = "the others have virtual threads, see the next test")
  void shouldSayThatThisJavaHasNoVirtualThreads() {
    assertThatThrownBy(() -> ListenerExecutors.virtualThreads("alerts"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "Java " + Runtime.version().feature() + " has no virtual threads; use 21 or later");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "it needs virtual threads")
  void shouldNumberItsVirtualThreads() throws Exception {
    Thread thread = ListenerExecutors.virtualThreadFactory("alerts").newThread(() -> {});
    assertThat(thread.getName()).isEqualTo("alerts-1");
    assertThat(thread.isDaemon()).isTrue();
    assertThat((boolean) Thread.class.getMethod("isVirtual").invoke(thread)).isTrue();
  }

  @Test
  void shouldRefuseWhatIsNotAllowed() {
    ListenerExecutors.Builder builder = new ListenerExecutors.Builder("alerts", Thread::new);
    assertThatThrownBy(() -> builder.maxConcurrency(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxConcurrency is 0; allowed: 1 or more");
    assertThatThrownBy(() -> builder.closeTimeout(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("closeTimeout is PT-0.001S; allowed: 0 seconds or more");
    assertThatThrownBy(() -> builder.meterRegistry(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("registry");
  }

  private static ListenerExecutors.Builder threads() {
    return ListenerExecutors.threads("alerts", Thread::new);
  }
}
