/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.compat.References.Member;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AnnotationsAttribute;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.annotation.Annotation;
import javassist.bytecode.annotation.StringMemberValue;

/**
 * Says what of the plugin does not fit a broker, from class files alone: a member it refers to that
 * is not there, a method that overrides nothing any more, an abstract method that nothing
 * implements, and an overload, new beside one that is overridden, which the broker may call
 * instead. Runs at the broker's start, and as a test over the jars of each line. For one thread.
 *
 * <p>In a class that extends or implements one of the broker's, public and protected methods are
 * overrides and nothing else, unless they are abstract. What is for some lines only carries {@link
 * Line}.
 */
public final class Linkage {

  /** How the broker's reset by time goes on from 4.2 on, in a method that it keeps to itself. */
  static final String RESET_BY_TIME = "resetCursorInternal";

  private static final String SUBSCRIPTION =
      "org.apache.pulsar.broker.service.persistent.PersistentSubscription";

  /** How many of what does not fit are named in one sentence. */
  private static final int SHOWN = 5;

  private final ClassFiles classes;
  private final String version;
  private final Set<String> knownOverloads;
  private final Set<String> problems = new LinkedHashSet<>();

  /**
   * @param loader sees the plugin's classes and the broker's
   * @param version the broker's
   * @param knownOverloads of methods that are overridden, those that need not be: {@code
   *     Class.method(descriptor)}
   */
  Linkage(ClassLoader loader, String version, Collection<String> knownOverloads) {
    this.classes = new ClassFiles(loader);
    this.version = version;
    this.knownOverloads = Set.copyOf(knownOverloads);
  }

  /**
   * Checks the plugin that this class is of against the broker that it runs in.
   *
   * @throws IllegalStateException naming what does not fit
   */
  public static void verify(String brokerVersion) {
    List<String> problems =
        new Linkage(Linkage.class.getClassLoader(), brokerVersion, knownOverloads())
            .check(classNames());
    if (!problems.isEmpty()) {
      throw new IllegalStateException(
          String.join("; ", problems.subList(0, Math.min(SHOWN, problems.size())))
              + (problems.size() > SHOWN ? "; and " + (problems.size() - SHOWN) + " more" : ""));
    }
  }

  /** The names of all classes in this class's jar or folder. */
  static List<String> classNames() {
    try {
      Path place =
          Path.of(Linkage.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(place)) {
        return classNamesIn(place);
      }
      try (FileSystem jar = FileSystems.newFileSystem(place)) {
        return classNamesIn(jar.getPath("/"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list the plugin's classes", e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("Cannot list the plugin's classes", e);
    }
  }

  private static List<String> classNamesIn(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.startsWith("io/pulsarbroadcast/") && name.endsWith(".class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .toList();
    }
  }

  /** The overloads that were looked at: they need not be overridden, on any line. */
  static List<String> knownOverloads() {
    try (InputStream list = Linkage.class.getResourceAsStream("known-overloads.txt")) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks classes of the plugin; what does not fit, one short phrase each. */
  List<String> check(Collection<String> classNames) {
    classNames.stream().flatMap(name -> classes.find(name).stream()).forEach(this::check);
    classes.find(SUBSCRIPTION).ifPresent(this::checkResetByTime);
    return new ArrayList<>(problems);
  }

  private void check(ClassFile type) {
    if (!isForThisLine(type.getAttribute(AnnotationsAttribute.invisibleTag))) {
      return;
    }
    checkClass(type, type.getSuperclass());
    Stream.of(type.getInterfaces()).forEach(each -> checkClass(type, each));
    List<ClassFile> supertypes = classes.supertypes(type);
    boolean extendsBroker = supertypes.stream().anyMatch(each -> isBrokers(each.getName()));
    for (MethodInfo method : type.getMethods()) {
      if (isForThisLine(method.getAttribute(AnnotationsAttribute.invisibleTag))) {
        checkReferences(type, References.of(type, method));
        if (extendsBroker && isOverride(method)) {
          checkOverrides(type, supertypes, method);
        }
      }
    }
    if (extendsBroker && (type.getAccessFlags() & AccessFlag.ABSTRACT) == 0) {
      checkImplements(type, supertypes);
    }
  }

  /**
   * A reset by time asks the subscription for one to a position, which is overridden, or goes on in
   * the one method that {@link BrokerLine#resetsByTimeItself} knows; consumers are held either way.
   */
  private void checkResetByTime(ClassFile subscription) {
    long own =
        subscription.getMethods().stream()
            .filter((MethodInfo method) -> method.getName().equals(RESET_BY_TIME))
            .count();
    Set<String> next = new LinkedHashSet<>();
    for (ClassFile nested : classes.nestedIn(subscription)) {
      for (MethodInfo method : nested.getMethods()) {
        References.of(nested, method).members().stream()
            .filter(
                each -> each.owner().equals(SUBSCRIPTION) && each.name().startsWith("resetCursor"))
            .forEach(each -> next.add(each.name()));
      }
    }
    if (!next.equals(Set.of(own == 0 ? "resetCursor" : RESET_BY_TIME)) || own > 1) {
      problems.add(
          "unknown way of " + SUBSCRIPTION + ".resetCursor(long) to the position that it finds");
    }
  }

  private void checkReferences(ClassFile type, References references) {
    references.classes().forEach(each -> checkClass(type, each));
    references.members().forEach(each -> checkMember(type, each));
  }

  private void checkMember(ClassFile type, Member member) {
    if (!isChecked(member.owner())) {
      return;
    }
    ClassFile owner = classes.find(member.owner()).orElse(null);
    if (owner != null && !classes.has(owner, member)) {
      problems.add(
          "no "
              + (member.isMethod() ? "method " : "field ")
              + member.owner()
              + "."
              + member.name()
              + (member.isMethod() ? member.descriptor() : "")
              + ", needed by "
              + type.getName());
    }
  }

  private void checkClass(ClassFile type, String name) {
    if (isChecked(name) && classes.find(name).isEmpty()) {
      problems.add("no class " + name + ", needed by " + type.getName());
    }
  }

  private void checkOverrides(ClassFile type, List<ClassFile> supertypes, MethodInfo method) {
    String name = method.getName();
    String descriptor = method.getDescriptor();
    if (supertypes.stream().noneMatch(each -> ClassFiles.declares(each, name, descriptor))) {
      problems.add(type.getName() + "." + name + descriptor + " overrides nothing");
    }
    for (ClassFile supertype : supertypes) {
      if (isBrokers(supertype.getName())) {
        for (MethodInfo other : supertype.getMethods()) {
          if (other.getName().equals(name) && ClassFiles.isOverridable(other)) {
            checkOverload(type, supertypes, supertype, other);
          }
        }
      }
    }
  }

  private static boolean isOverridden(
      ClassFile type, List<ClassFile> supertypes, MethodInfo method) {
    return Stream.concat(Stream.of(type), supertypes.stream())
        .filter(each -> isPlugins(each.getName()))
        .anyMatch(each -> ClassFiles.declares(each, method.getName(), method.getDescriptor()));
  }

  /** A method of the broker's that has the name of one that a class overrides, or is that one. */
  private void checkOverload(
      ClassFile type, List<ClassFile> supertypes, ClassFile supertype, MethodInfo other) {
    String shown = supertype.getName() + "." + other.getName() + other.getDescriptor();
    if (!isOverridden(type, supertypes, other)) {
      if (!knownOverloads.contains(shown)) {
        problems.add("unknown overload " + shown);
      }
    } else if ((other.getAccessFlags() & AccessFlag.FINAL) != 0) {
      problems.add(shown + " is final, and overridden by " + type.getName());
    }
  }

  private void checkImplements(ClassFile type, List<ClassFile> supertypes) {
    for (ClassFile supertype : supertypes) {
      for (MethodInfo method : supertype.getMethods()) {
        if ((method.getAccessFlags() & AccessFlag.ABSTRACT) != 0
            && Stream.concat(Stream.of(type), supertypes.stream())
                .noneMatch(each -> implementsMethod(each, method))) {
          problems.add(
              type.getName()
                  + " does not implement "
                  + supertype.getName()
                  + "."
                  + method.getName()
                  + method.getDescriptor());
        }
      }
    }
  }

  private static boolean implementsMethod(ClassFile type, MethodInfo method) {
    return type.getMethods().stream()
        .anyMatch(
            (MethodInfo each) ->
                each.getName().equals(method.getName())
                    && each.getDescriptor().equals(method.getDescriptor())
                    && (each.getAccessFlags() & AccessFlag.ABSTRACT) == 0);
  }

  private static boolean isOverride(MethodInfo method) {
    int visible = AccessFlag.PUBLIC | AccessFlag.PROTECTED;
    return ClassFiles.isOverridable(method)
        && (method.getAccessFlags() & visible) != 0
        && (method.getAccessFlags() & AccessFlag.ABSTRACT) == 0;
  }

  private boolean isForThisLine(AttributeInfo annotations) {
    Annotation line =
        annotations instanceof AnnotationsAttribute all
            ? all.getAnnotation(Line.class.getName())
            : null;
    return line == null
        || (compare(version, value(line, "from", "0")) >= 0
            && compare(version, value(line, "before", "1000")) < 0);
  }

  private static String value(Annotation line, String member, String otherwise) {
    return line.getMemberValue(member) instanceof StringMemberValue given
        ? given.getValue()
        : otherwise;
  }

  private static int compare(String one, String other) {
    String[] numbers = one.split("[^0-9]+");
    String[] others = other.split("[^0-9]+");
    for (int i = 0; i < Math.min(numbers.length, others.length); i++) {
      int compared = Integer.compare(Integer.parseInt(numbers[i]), Integer.parseInt(others[i]));
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  private static boolean isChecked(String className) {
    return isBrokers(className) || isPlugins(className);
  }

  private static boolean isBrokers(String className) {
    return className.startsWith("org.apache.pulsar.")
        || className.startsWith("org.apache.bookkeeper.");
  }

  private static boolean isPlugins(String className) {
    return className.startsWith("io.pulsarbroadcast.");
  }
}
