/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;

/** A command that shows what it would change, asks, and changes it. */
abstract class ChangeCommand<T> extends BroadcastCommand {

  ChangeCommand(String name, String description, String example) {
    super(name, description, example);
  }

  /** What to do on each topic. */
  @FunctionalInterface
  interface Change<T> {
    /**
     * @param shown what a dry run has given; null: this is the dry run
     */
    T apply(TopicName topic, T shown) throws PulsarAdminException;
  }

  @Override
  final void run(Arguments arguments, PulsarAdmin admin, Terminal terminal)
      throws PulsarAdminException {
    TopicName named = arguments.topic();
    Change<T> change = change(arguments, admin, named);
    Outcomes<Void> topics = Outcomes.of(admin, named);
    Outcomes<T> preview = topics.each((topic, none) -> change.apply(topic, null));
    if (allOrNothing()) {
      preview.throwIfAnyFailed();
    }
    String question = question(preview.values());
    if (question == null || arguments.flag(Parameters.DRY_RUN)) {
      preview.finish(terminal.out(), arguments.json(), this::print);
      return;
    }
    if (!arguments.flag(Parameters.YES)) {
      preview.print(terminal.err(), this::print);
      terminal.confirm(question);
    }
    preview.each(change::apply).finish(terminal.out(), arguments.json(), this::print);
  }

  /** Checks the arguments before anything is asked of a broker. */
  abstract Change<T> change(Arguments arguments, PulsarAdmin admin, TopicName named)
      throws PulsarAdminException;

  /** What to ask before it is changed; null if nothing would be. */
  abstract String question(List<T> previews);

  abstract void print(T value, PrintStream out);

  /** Whether nothing is changed if a partition refuses. */
  boolean allOrNothing() {
    return false;
  }
}
