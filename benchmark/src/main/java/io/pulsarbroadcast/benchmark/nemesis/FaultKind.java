/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.nemesis.Firewall.Direction;
import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** The kinds of faults, which the command line names. */
enum FaultKind {
  KILL_BROKER(
      (cluster, random) -> {
        Node broker = cluster.anyOwner(random);
        return PartFault.kill(cluster, broker, Confirmation.moved(cluster, broker));
      }),
  KILL_BOOKIE(
      (cluster, random) -> {
        Node bookie = cluster.anyBookie(random);
        return PartFault.kill(cluster, bookie, Confirmation.unlisted(cluster, bookie));
      }),
  KILL_ZOOKEEPER(
      (cluster, random) ->
          PartFault.kill(cluster, cluster.zookeeper(), Confirmation.sessionsLost(cluster))),
  KILL_ALL((cluster, random) -> new KillAllFault(cluster)),
  FREEZE_BROKER(
      (cluster, random) -> {
        Node broker = cluster.anyOwner(random);
        return PartFault.freeze(cluster, broker, Confirmation.moved(cluster, broker), hold(random));
      }),
  FREEZE_BOOKIE(
      (cluster, random) -> {
        Node bookie = cluster.anyBookie(random);
        return PartFault.freeze(
            cluster, bookie, Confirmation.unlisted(cluster, bookie), hold(random));
      }),
  FREEZE_ZOOKEEPER(
      (cluster, random) ->
          PartFault.freeze(
              cluster, cluster.zookeeper(), Confirmation.sessionsLost(cluster), hold(random))),
  CUT_BROKER_FROM_ZOOKEEPER(
      (cluster, random) -> {
        Node broker = cluster.anyOwner(random);
        return cut(
            cluster,
            random,
            broker,
            List.of(cluster.zookeeper()),
            Confirmation.moved(cluster, broker));
      }),
  CUT_BROKER_FROM_BOOKIES(
      (cluster, random) -> {
        Node broker = cluster.anyOwner(random);
        return cut(cluster, random, broker, cluster.bookies(), Confirmation.stuck(cluster, broker));
      }),
  CUT_BOOKIE_FROM_ZOOKEEPER(
      (cluster, random) -> {
        Node bookie = cluster.anyBookie(random);
        return cut(
            cluster,
            random,
            bookie,
            List.of(cluster.zookeeper()),
            Confirmation.unlisted(cluster, bookie));
      }),
  FULL_JOURNAL(
      (cluster, random) -> PartFault.fill(cluster, cluster.anyBookie(random), BookieDisk.JOURNAL)),
  FULL_LEDGERS(
      (cluster, random) -> PartFault.fill(cluster, cluster.anyBookie(random), BookieDisk.LEDGERS)),
  UNLOAD((cluster, random) -> MoveFault.unload(cluster, cluster.anyTopic(random))),
  TRANSFER(
      (cluster, random) -> MoveFault.transfer(cluster, cluster.anyTopic(random), random.nextInt())),
  SPLIT((cluster, random) -> new SplitFault(cluster, cluster.anyTopic(random))),
  RESTART_BROKER((cluster, random) -> new RestartFault(cluster, cluster.anyOwner(random)));

  /** How long what is confirmed may go on. */
  private static final int MAX_HOLD_MILLIS = 5_000;

  private interface Factory {
    Fault create(NemesisCluster cluster, Random random) throws IOException, InterruptedException;
  }

  private final Factory factory;

  FaultKind(Factory factory) {
    this.factory = factory;
  }

  private static Fault cut(
      NemesisCluster cluster,
      Random random,
      Node node,
      List<Node> others,
      Confirmation confirmation) {
    return PartFault.cut(cluster, node, others, Direction.any(random), confirmation, hold(random));
  }

  private static int hold(Random random) {
    return random.nextInt(MAX_HOLD_MILLIS);
  }

  /** Draws its victim. */
  Fault draw(NemesisCluster cluster, Random random) throws IOException, InterruptedException {
    return factory.create(cluster, random);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
