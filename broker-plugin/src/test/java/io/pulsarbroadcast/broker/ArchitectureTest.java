/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The rooms of the house: dependencies go one way, from what the broker calls to what keeps
 * positions, and what knows Pulsar's internals is apart from what does not (docs/develop.md).
 */
@AnalyzeClasses(
    packages = "io.pulsarbroadcast.broker",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String WAY_IN = "way in";
  private static final String SETTINGS = "settings, wire contract";
  private static final DescribedPredicate<JavaClass> SETTINGS_CLASSES =
      belongToAnyOf(BroadcastConfig.class, BroadcastContract.class, Throttled.class);
  private static final String REST = "rest";
  private static final String TOPIC = "topic";
  private static final String STATS = "stats";
  private static final String LEDGER = "ledger";
  private static final String COMPAT = "compat";
  private static final String DISPATCH = "dispatch";
  private static final String METRICS = "metrics";
  private static final String CURSOR = "cursor";

  @ArchTest
  static final ArchRule shouldDependOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer(WAY_IN)
          .definedBy(belongToAnyOf(BroadcastPlugin.class, BrokerHooks.class, BrokerSettings.class))
          .layer(SETTINGS)
          .definedBy(SETTINGS_CLASSES.or(name("io.pulsarbroadcast.broker.package-info")))
          .layer(REST)
          .definedBy("..broker.rest")
          .layer(TOPIC)
          .definedBy("..broker.topic")
          .layer(STATS)
          .definedBy("..broker.stats")
          .layer(LEDGER)
          .definedBy("..broker.ledger")
          .layer(COMPAT)
          .definedBy("..broker.compat")
          .layer(DISPATCH)
          .definedBy("..broker.dispatch")
          .layer(METRICS)
          .definedBy("..broker.metrics")
          .layer(CURSOR)
          .definedBy("..broker.cursor")
          .ensureAllClassesAreContainedInArchitecture()
          .whereLayer(WAY_IN)
          .mayNotBeAccessedByAnyLayer()
          .whereLayer(REST)
          .mayOnlyBeAccessedByLayers(WAY_IN)
          .whereLayer(TOPIC)
          .mayOnlyBeAccessedByLayers(WAY_IN, REST)
          .whereLayer(STATS)
          .mayOnlyBeAccessedByLayers(WAY_IN, TOPIC)
          .whereLayer(LEDGER)
          .mayOnlyBeAccessedByLayers(WAY_IN, TOPIC, STATS)
          .whereLayer(COMPAT)
          .mayOnlyBeAccessedByLayers(WAY_IN, TOPIC, STATS, LEDGER)
          .whereLayer(DISPATCH)
          .mayOnlyBeAccessedByLayers(TOPIC, STATS, LEDGER)
          .whereLayer(METRICS)
          .mayOnlyBeAccessedByLayers(WAY_IN, TOPIC, STATS, LEDGER, DISPATCH)
          .whereLayer(CURSOR)
          .mayOnlyBeAccessedByLayers(TOPIC, STATS, LEDGER, DISPATCH, METRICS)
          .whereLayer(COMPAT)
          .mayNotAccessAnyLayer()
          .whereLayer(SETTINGS)
          .mayNotAccessAnyLayer();

  @ArchTest
  static final ArchRule shouldKeepTheBrokerOutOfDispatchMetricsCursorsAndSettings =
      noClasses()
          .that()
          .resideInAnyPackage("..broker.dispatch..", "..broker.metrics..", "..broker.cursor..")
          .or(SETTINGS_CLASSES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.pulsar.broker..", "org.apache.bookkeeper..");

  @ArchTest
  static final ArchRule shouldKeepPulsarOutOfMetrics =
      noClasses()
          .that()
          .resideInAPackage("..broker.metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.pulsar..");

  @ArchTest
  static final ArchRule shouldKeepNetworkingOutOfCursors =
      noClasses()
          .that()
          .resideInAPackage("..broker.cursor..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty..", "org.apache.pulsar..");

  /**
   * Subscription, consumer, connection and admission know each other, as Pulsar's do. Whoever else
   * needs something of them is given it, and can be tested without them.
   */
  @ArchTest
  static final ArchRule shouldKeepHelpersApartFromWhatTheyHelp =
      noClasses()
          .that()
          .resideInAPackage("..broker.topic")
          .and()
          .haveNameNotMatching(
              ".*\\.(Broadcast\\w+|MeteredTopic|ConsumerAdmission|TypeExchange)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .haveNameMatching(".*\\.Broadcast(Topic|Subscription|Consumer|ServerCnx)(\\$.*)?");
}
