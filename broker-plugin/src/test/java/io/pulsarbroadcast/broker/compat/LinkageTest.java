/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.DuplicateMemberException;
import javassist.bytecode.MethodInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin fits every broker line that it is for, by the class files of both. */
class LinkageTest {

  private static final String TOPIC = "org.apache.pulsar.broker.service.persistent.PersistentTopic";
  private static final String SUBSCRIPTION =
      "org.apache.pulsar.broker.service.persistent.PersistentSubscription";
  private static final String OWN_SUBSCRIPTION =
      "io.pulsarbroadcast.broker.topic.BroadcastSubscription";
  private static final String OWN_DISPATCHER =
      "io.pulsarbroadcast.broker.topic.SubscriptionDispatcher";
  private static final String UNKNOWN_RESET =
      "unknown way of " + SUBSCRIPTION + ".resetCursor(long) to the position that it finds";

  private static final String DISPATCHER = "org.apache.pulsar.broker.service.Dispatcher";

  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "4.0.8", "4.2.4"})
  void shouldFit(String version) {
    assertThat(check(version, type -> {})).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "4.2.4"})
  void shouldNameAMethodThatIsMissing(String version) {
    Consumer<ClassFile> without =
        type -> {
          if (type.getName().equals(TOPIC)) {
            type.getMethods().removeIf((MethodInfo each) -> each.getName().equals("isTxnAborted"));
          }
        };

    assertThat(check(version, without))
        .singleElement()
        .asString()
        .contains("no method " + TOPIC + ".isTxnAborted", "Pulsar" + version.charAt(0) + "Calls");
  }

  @Test
  void shouldNameAMethodThatOverridesNothingAnyMore() {
    Consumer<ClassFile> without =
        type ->
            type.getMethods()
                .removeIf(
                    (MethodInfo each) ->
                        type.getName().startsWith("org.apache.pulsar.broker.")
                            && each.getName().equals("updateLastMarkDeleteAdvancedTimestamp"));

    assertThat(check("4.0.8", without))
        .contains(OWN_SUBSCRIPTION + ".updateLastMarkDeleteAdvancedTimestamp()V overrides nothing");
  }

  @Test
  void shouldNameAnOverloadThatIsNewBesideAMethodThatIsOverridden() {
    assertThat(check("4.0.8", with(SUBSCRIPTION, "clearBacklog", "(J)V", AccessFlag.PUBLIC)))
        .containsExactly("unknown overload " + SUBSCRIPTION + ".clearBacklog(J)V");
  }

  @Test
  void shouldNameAMethodThatNothingImplements() {
    assertThat(
            check(
                "4.0.8", with(DISPATCHER, "pause", "()V", AccessFlag.PUBLIC | AccessFlag.ABSTRACT)))
        .containsExactly(OWN_DISPATCHER + " does not implement " + DISPATCHER + ".pause()V");
  }

  /** Else consumers are not held during a reset by time, and their acknowledgements undo it. */
  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "4.0.8", "4.2.4"})
  void shouldNameAWayOfAResetByTimeThatItDoesNotKnow(String version) {
    assertThat(
            check(version, with(SUBSCRIPTION, Linkage.RESET_BY_TIME, "(J)V", AccessFlag.PRIVATE)))
        .containsExactly(UNKNOWN_RESET);
  }

  @Test
  void shouldNameAResetByTimeThatGoesOnUnderAnotherName() {
    Consumer<ClassFile> renamed =
        type ->
            type.getMethods().stream()
                .filter((MethodInfo each) -> each.getName().equals(Linkage.RESET_BY_TIME))
                .forEach(each -> each.setName("resetTo"));

    assertThat(check("4.2.4", renamed)).containsExactly(UNKNOWN_RESET);
  }

  @Test
  void shouldNotLookAtWhatIsForOtherLines() {
    assertThat(check("4.0.8", type -> {})).isEmpty();
    assertThat(
            new Linkage(brokerOf("4.0.8", type -> {}), "3.3.6", Linkage.knownOverloads())
                .check(Linkage.classNames()))
        .anyMatch(
            each -> each.contains("no class org.apache.bookkeeper.mledger.impl.PositionImpl"));
  }

  @Test
  void shouldSayInOneSentenceWhatDoesNotFitTheBrokerThatItRunsIn() {
    Linkage.verify("3.0.7");

    assertThatThrownBy(() -> Linkage.verify("4.0.8"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no class org.apache.bookkeeper.mledger.PositionFactory")
        .hasMessageMatching("(?s).*; and \\d+ more");
  }

  private static List<String> check(String version, Consumer<ClassFile> change) {
    return new Linkage(brokerOf(version, change), version, Linkage.knownOverloads())
        .check(Linkage.classNames());
  }

  private static Consumer<ClassFile> with(String owner, String name, String descriptor, int flags) {
    return type -> {
      if (type.getName().equals(owner)) {
        MethodInfo added = new MethodInfo(type.getConstPool(), name, descriptor);
        added.setAccessFlags(flags);
        try {
          type.addMethod(added);
        } catch (DuplicateMemberException e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }

  /**
   * The plugin's classes and those of a broker's jars, each as {@code change} leaves it; none of
   * Pulsar's from elsewhere.
   */
  private static ClassLoader brokerOf(String version, Consumer<ClassFile> change) {
    File[] jars = new File("target/lines/" + version).listFiles();
    assertThat(jars).as("jars of %s, which the build copies", version).isNotEmpty();
    URL[] urls = Stream.of(jars).map(LinkageTest::url).toArray(URL[]::new);
    return new URLClassLoader(urls, LinkageTest.class.getClassLoader()) {
      @Override
      public InputStream getResourceAsStream(String name) {
        URL own = findResource(name);
        if (own == null) {
          return isPulsars(name) ? null : super.getResourceAsStream(name);
        }
        return changed(own, change);
      }
    };
  }

  /** A class file as {@code change} leaves it. */
  static InputStream changed(URL resource, Consumer<ClassFile> change) {
    try (InputStream bytes = resource.openStream()) {
      ClassFile type = new ClassFile(new DataInputStream(bytes));
      change.accept(type);
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      type.write(new DataOutputStream(written));
      return new ByteArrayInputStream(written.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isPulsars(String resource) {
    return resource.startsWith("org/apache/pulsar/")
        || resource.startsWith("org/apache/bookkeeper/mledger/");
  }

  private static URL url(File jar) {
    try {
      return jar.toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }
}
