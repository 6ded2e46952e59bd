/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java of the pages compiles, but for Spring's, of which docs/examples has applications. */
class DocumentedJavaTest {
  private static final List<String> PAGES = List.of("README.md", "docs/clients.md");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:java|diff)\n(.*?)^```$");

  /** A line of a change, as it is afterwards. */
  private static final Pattern UNCHANGED_OR_NEW = Pattern.compile("(?m)^[+ ]");

  private static final Pattern IMPORT = Pattern.compile("(?m)^import .*\n");

  /** Of blocks that have none of their own. */
  private static final String IMPORTS =
      """
      import io.pulsarbroadcast.client.*;
      import io.pulsarbroadcast.client.SubscriptionType;
      import java.util.*;
      import java.util.concurrent.TimeUnit;
      import org.apache.pulsar.client.api.Consumer;
      import org.apache.pulsar.client.api.DeadLetterPolicy;
      import org.apache.pulsar.client.api.PulsarClient;
      import org.apache.pulsar.client.api.Schema;
      """;

  /** With what a page has said before, or leaves to the reader. */
  private static final String CLASS =
      """
      abstract class Snippet {
        org.apache.pulsar.client.api.PulsarClient pulsarClient;
        io.pulsarbroadcast.client.BroadcastClient client;
        abstract void forward(org.apache.pulsar.client.api.Message<String> message);
        void run() throws Exception {
          %s
        }
      }
      """;

  @TempDir private Path classes;

  static Stream<Arguments> blocks() throws Exception {
    Stream.Builder<Arguments> blocks = Stream.builder();
    for (String page : PAGES) {
      String text = Files.readString(DocumentedCommands.ROOT.resolve(page));
      BLOCK
          .matcher(text)
          .results()
          .map(
              block ->
                  block.group().startsWith("```diff") ? changed(block.group(1)) : block.group(1))
          .filter(block -> !block.matches("(?s)@(Reactive)?PulsarListener.*"))
          .forEach(block -> blocks.add(Arguments.of(page, block)));
    }
    return blocks.build();
  }

  private static String changed(String diff) {
    return UNCHANGED_OR_NEW.matcher(diff).replaceAll("");
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void shouldCompile(String page, String block) {
    String imports =
        String.join("", IMPORT.matcher(block).results().map(MatchResult::group).toList());
    String body = IMPORT.matcher(block).replaceAll("");
    String source = (imports.isEmpty() ? IMPORTS : imports) + CLASS.formatted(body);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    List<String> options =
        List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"));

    boolean compiled =
        compiler.getTask(said, null, null, options, null, List.of(new Source(source))).call();

    assertThat(compiled).as("%s: %s%n%s", page, said, source).isTrue();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
