/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Packets between a node and others that are dropped. One thread may call it. */
final class Firewall {
  /** Which packets, as the node sees it. */
  enum Direction {
    BOTH("both ways", true, true),
    OUT("what it sends", false, true),
    IN("what it is sent", true, false);

    final String text;
    private final boolean in;
    private final boolean out;

    Direction(String text, boolean in, boolean out) {
      this.text = text;
      this.in = in;
      this.out = out;
    }

    static Direction any(Random random) {
      return values()[random.nextInt(values().length)];
    }
  }

  private final Node node;
  private final List<List<String>> rules = new ArrayList<>();

  Firewall(Node node, List<Node> others, Direction direction) {
    this.node = node;
    for (Node other : others) {
      if (direction.in) {
        rules.add(List.of("INPUT", "-s", other.address(), "-j", "DROP"));
      }
      if (direction.out) {
        rules.add(List.of("OUTPUT", "-d", other.address(), "-j", "DROP"));
      }
    }
  }

  void close() throws IOException, InterruptedException {
    change("-A");
  }

  void open() throws IOException, InterruptedException {
    change("-D");
  }

  /** In the network of the node, which has no tool for that. */
  private void change(String how) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    for (List<String> rule : rules) {
      command.clear();
      command.addAll(
          List.of("nsenter", "-t", Long.toString(node.pid()), "-n", "iptables", "-w", how));
      command.addAll(rule);
      HostCommand.run(command);
    }
  }
}
