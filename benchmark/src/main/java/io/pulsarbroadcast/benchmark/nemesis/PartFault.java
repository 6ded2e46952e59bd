/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.nemesis.Firewall.Direction;
import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What is done to one part of the cluster, and undone. */
final class PartFault implements Fault {
  private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

  /** Does it, or undoes it. */
  private interface Action {
    void run() throws IOException, InterruptedException;
  }

  private final NemesisCluster cluster;
  private final Node node;
  private final String what;
  private final Confirmation confirmation;
  private final Action begin;
  private final Action end;
  private final int holdMillis;

  private PartFault(
      NemesisCluster cluster,
      Node node,
      String what,
      Confirmation confirmation,
      Action begin,
      Action end,
      int holdMillis) {
    this.cluster = cluster;
    this.node = node;
    this.what = what;
    this.confirmation = confirmation;
    this.begin = begin;
    this.end = end;
    this.holdMillis = holdMillis;
  }

  /** SIGKILL; it is started again on the disk that it had. */
  static PartFault kill(NemesisCluster cluster, Node node, Confirmation confirmation) {
    return new PartFault(
        cluster,
        node,
        "SIGKILL of " + node.name(),
        confirmation,
        () -> {
          cluster.ending(node);
          node.signal("KILL");
        },
        () -> {},
        0);
  }

  /** SIGSTOP; when it goes on, it does not know what others have done meanwhile. */
  static PartFault freeze(
      NemesisCluster cluster, Node node, Confirmation confirmation, int holdMillis) {
    return new PartFault(
        cluster,
        node,
        "SIGSTOP of " + node.name(),
        confirmation,
        () -> node.signal("STOP"),
        () -> node.signal("CONT"),
        holdMillis);
  }

  /** Packets between it and others are dropped. */
  static PartFault cut(
      NemesisCluster cluster,
      Node node,
      List<Node> others,
      Direction direction,
      Confirmation confirmation,
      int holdMillis) {
    Firewall firewall = new Firewall(node, others, direction);
    return new PartFault(
        cluster,
        node,
        "%s cut from %s, %s"
            .formatted(
                node.name(),
                String.join(", ", others.stream().map(Node::name).toList()),
                direction.text),
        confirmation,
        firewall::close,
        () -> {
          try {
            firewall.open();
          } catch (IOException e) {
            // A part that has ended meanwhile is started again with a network of its own.
            Wait.until(
                END_TIMEOUT,
                node.name() + " to have ended, as it is still cut off: " + e.getMessage(),
                () -> !node.isRunning());
          }
        },
        holdMillis);
  }

  /** A bookie's disk has no room any more. */
  static PartFault fill(NemesisCluster cluster, Node bookie, BookieDisk disk) {
    return new PartFault(
        cluster,
        bookie,
        "no room for the %s of %s".formatted(disk, bookie.name()),
        Confirmation.readOnly(bookie),
        () -> cluster.disks().fill(disk.nameOf(bookie.name())),
        () -> cluster.disks().free(disk.nameOf(bookie.name())),
        0);
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public void begin() throws IOException, InterruptedException {
    confirmation.prepare();
    begin.run();
  }

  @Override
  public boolean isConfirmed() throws IOException, InterruptedException {
    return confirmation.holds();
  }

  @Override
  public int holdMillis() {
    return holdMillis;
  }

  @Override
  public void heal() throws IOException, InterruptedException {
    end.run();
    cluster.awaitReady();
  }
}
