/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import io.pulsarbroadcast.admin.rest.BroadcastApi;
import io.pulsarbroadcast.admin.rest.Settings;
import io.pulsarbroadcast.admin.terminal.Json;
import io.pulsarbroadcast.admin.terminal.Table;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.PrintStream;
import java.util.List;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;

/** Shows the plugin's settings in use on a broker. */
final class SettingsCommand extends BroadcastCommand {

  SettingsCommand() {
    super(
        "settings",
        "Show the plugin's settings in use on the broker that the admin URL leads to",
        "--json");
  }

  @Override
  public List<ParameterDescriptor> parameters() {
    return List.of(Parameters.json());
  }

  @Override
  void run(Arguments arguments, PulsarAdmin admin, Terminal terminal) throws PulsarAdminException {
    Settings settings = BroadcastApi.of(admin).settings();
    if (arguments.json()) {
      terminal.out().println(Json.of(settings));
    } else {
      print(settings, terminal.out());
    }
  }

  private static void print(Settings settings, PrintStream out) {
    Table table = new Table("SETTING", "VALUE");
    settings.settings().forEach((key, value) -> table.row(key, value.toString()));
    table.print(out);
  }
}
