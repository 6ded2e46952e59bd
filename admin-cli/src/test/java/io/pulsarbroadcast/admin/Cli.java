/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.pulsarbroadcast.admin.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import org.apache.pulsar.admin.cli.extensions.CommandExecutionContext;
import org.apache.pulsar.admin.cli.extensions.CustomCommand;
import org.apache.pulsar.admin.cli.extensions.ParameterDescriptor;
import org.apache.pulsar.admin.cli.extensions.ParameterType;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminBuilder;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.PulsarClientException;

/** Runs commands as pulsar-admin does, with a stock admin client. */
final class Cli implements AutoCloseable {

  /** What a command left behind. */
  record Result(String out, String err, PulsarAdminException failure) {

    /** What pulsar-admin prints of the failure. */
    String reason() {
      return failure == null ? "" : failure.getHttpError() + "\n\nReason: " + failure.getMessage();
    }
  }

  private final PulsarAdmin admin;
  private final CommandExecutionContext context;

  Cli(String url) throws PulsarClientException {
    this(PulsarAdmin.builder().serviceHttpUrl(url));
  }

  Cli(PulsarAdminBuilder builder) throws PulsarClientException {
    this.admin = builder.build();
    this.context =
        new CommandExecutionContext() {
          @Override
          public PulsarAdmin getPulsarAdmin() {
            return admin;
          }

          @Override
          public Properties getConfiguration() {
            return new Properties();
          }
        };
  }

  /** Runs a command without a terminal. */
  Result run(String... words) {
    return answering("", words);
  }

  Result answering(String input, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, false, StandardCharsets.UTF_8),
            new PrintStream(err, false, StandardCharsets.UTF_8));
    BroadcastCommand command = command(words[0]);
    PulsarAdminException failure = null;
    try {
      command.execute(parse(command, List.of(words).subList(1, words.length)), context, terminal);
    } catch (PulsarAdminException e) {
      failure = e;
    }
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), failure);
  }

  static List<CustomCommand> commands() {
    return new BroadcastCommandFactory().commandGroups(null).get(0).commands(null);
  }

  private static BroadcastCommand command(String name) {
    return (BroadcastCommand)
        commands().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  private static Map<String, Object> parse(BroadcastCommand command, List<String> words) {
    Map<String, Object> parameters = new HashMap<>();
    Map<String, ParameterDescriptor> options = new HashMap<>();
    ParameterDescriptor main = null;
    for (ParameterDescriptor descriptor : command.parameters()) {
      String key = descriptor.getNames().get(0);
      parameters.put(key, descriptor.getType() == ParameterType.BOOLEAN_FLAG ? false : null);
      descriptor.getNames().forEach(name -> options.put(name, descriptor));
      main = descriptor.isMainParameter() ? descriptor : main;
    }
    Queue<String> left = new ArrayDeque<>(words);
    while (!left.isEmpty()) {
      String word = left.remove();
      ParameterDescriptor option = options.getOrDefault(word, main);
      Object value =
          option == main
              ? word
              : option.getType() == ParameterType.BOOLEAN_FLAG ? (Object) true : left.remove();
      parameters.put(option.getNames().get(0), value);
    }
    return parameters;
  }

  /** The output of a command, which must be as the schema says. */
  static JsonNode json(String command, Result result) throws IOException {
    JsonNode json = FakeBroker.JSON.readTree(result.out());
    List<String> errors =
        schema(command).validate(json).stream().map(ValidationMessage::getMessage).toList();
    if (!errors.isEmpty()) {
      throw new AssertionError(errors.get(0) + " in " + result.out());
    }
    return json;
  }

  private static JsonSchema schema(String command) throws IOException {
    JsonNode all =
        FakeBroker.JSON.readTree(Files.readString(Path.of(System.getProperty("schema"))));
    JsonNode one =
        FakeBroker.JSON
            .createObjectNode()
            .put("$ref", "#/$defs/" + command)
            .set("$defs", all.get("$defs"));
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(one);
  }

  @Override
  public void close() {
    admin.close();
  }
}
