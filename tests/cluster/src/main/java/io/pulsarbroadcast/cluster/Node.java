/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.cluster;

import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.command.SyncDockerCmd;
import com.github.dockerjava.api.exception.DockerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** A container of a cluster, with one process of Pulsar's. Any thread may call it. */
public final class Node {
  private static final Pattern ERROR = Pattern.compile("\\bERROR\\b|Exception");
  private static final int SHOWN_LINES = 10;

  /** What a process ends with after SIGKILL. */
  private static final int SIGKILLED = 128 + 9;

  private final String name;
  private final String address;
  private final GenericContainer<?> container;

  Node(String name, String address, GenericContainer<?> container) {
    this.name = name;
    this.address = address;
    this.container = container;
  }

  /** Also its host name in the cluster. */
  public String name() {
    return name;
  }

  /** In the cluster's network, which this machine reaches where it has the engine. */
  public String address() {
    return address;
  }

  GenericContainer<?> container() {
    return container;
  }

  /** Sends its process a signal: KILL, STOP, CONT, TERM. What is on its disk stays. */
  public void signal(String signal) throws IOException {
    ask(container.getDockerClient().killContainerCmd(id()).withSignal(signal));
  }

  /** Starts it again on the disk that it had; does not wait until it is ready. */
  public void restart() throws IOException {
    ask(container.getDockerClient().startContainerCmd(id()));
  }

  /** Ends its process in order, and with SIGKILL when the time is over. */
  public void stop(int timeoutSeconds) throws IOException {
    ask(container.getDockerClient().stopContainerCmd(id()).withTimeout(timeoutSeconds));
  }

  private void ask(SyncDockerCmd<?> command) throws IOException {
    try {
      command.exec();
    } catch (DockerException e) { // It has ended meanwhile, for example.
      throw new IOException("The engine refuses for %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  private long exitCode() {
    return state().getExitCodeLong();
  }

  public boolean isRunning() {
    return Boolean.TRUE.equals(state().getRunning());
  }

  /** Whether its process was ended with SIGKILL, by whomever. */
  public boolean wasKilled() {
    ContainerState state = state();
    return !Boolean.TRUE.equals(state.getRunning()) && state.getExitCodeLong() == SIGKILLED;
  }

  /** The number of its process on the machine that has the engine. */
  public long pid() {
    return state().getPidLong();
  }

  private ContainerState state() {
    return container.getCurrentContainerInfo().getState();
  }

  private String id() {
    return container.getContainerId();
  }

  /** Runs a command in it, and returns what that prints. */
  public String exec(String... command) throws IOException, InterruptedException {
    ExecResult result = container.execInContainer(command);
    if (result.getExitCode() != 0) {
      throw new IOException(
          "%s in %s ended with %d: %s%s"
              .formatted(
                  String.join(" ", command),
                  name,
                  result.getExitCode(),
                  result.getStderr(),
                  result.getStdout()));
    }
    return result.getStdout();
  }

  /** Everything that it has logged, also before it was killed. */
  public String log() {
    return container.getLogs();
  }

  /** Whether it has ended, and with what code; the first errors and the last lines of its log. */
  public String lastWords() {
    if (id() == null) {
      return "it has no container";
    }
    List<String> lines = log().lines().toList();
    Stream<String> errors = lines.stream().filter(ERROR.asPredicate()).limit(SHOWN_LINES);
    Stream<String> last = lines.stream().skip(Math.max(0, lines.size() - SHOWN_LINES));
    return Stream.concat(errors, last)
        .collect(
            Collectors.joining(
                System.lineSeparator(),
                isRunning() ? "it runs:%n".formatted() : "exit code %d:%n".formatted(exitCode()),
                ""));
  }

  /** Writes its log to a file in this folder. */
  void keepLog(Path folder, String file) throws IOException {
    if (id() != null) {
      Files.writeString(Files.createDirectories(folder).resolve(file + ".log"), log());
    }
  }
}
