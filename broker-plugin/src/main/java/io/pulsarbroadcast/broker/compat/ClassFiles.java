/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.compat.References.Member;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.ClassFile;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.NestMembersAttribute;

/**
 * The class files that a class loader sees, read without loading a class. For one thread.
 *
 * <p>Classes are named as in Java source, with a dollar sign before a nested class.
 */
final class ClassFiles {

  private final ClassLoader loader;
  private final Map<String, Optional<ClassFile>> read = new HashMap<>();

  ClassFiles(ClassLoader loader) {
    this.loader = loader;
  }

  /** A class; empty when there is none of that name. */
  Optional<ClassFile> find(String name) {
    return read.computeIfAbsent(name, this::read);
  }

  private Optional<ClassFile> read(String name) {
    try (InputStream bytes = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
      return bytes == null
          ? Optional.empty()
          : Optional.of(new ClassFile(new DataInputStream(bytes)));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read class " + name, e);
    }
  }

  /** A class's superclasses and interfaces, nearest first, without the class itself. */
  List<ClassFile> supertypes(ClassFile type) {
    Set<ClassFile> found = new LinkedHashSet<>();
    collectSupertypes(type, found);
    return new ArrayList<>(found);
  }

  private void collectSupertypes(ClassFile type, Set<ClassFile> found) {
    Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
        .flatMap(name -> find(name).stream())
        .filter(found::add)
        .forEach(supertype -> collectSupertypes(supertype, found));
  }

  /** The classes within a class. */
  List<ClassFile> nestedIn(ClassFile type) {
    return type.getAttribute(NestMembersAttribute.tag) instanceof NestMembersAttribute nested
        ? IntStream.range(0, nested.numberOfClasses())
            .mapToObj(i -> type.getConstPool().getClassInfo(nested.memberClass(i)))
            .flatMap(name -> find(name).stream())
            .toList()
        : List.of();
  }

  /** Whether a class has a member, or inherits it. */
  boolean has(ClassFile type, Member member) {
    return declaring(type, member)
        .anyMatch(
            each ->
                member.isMethod()
                    ? declares(each, member.name(), member.descriptor())
                    : declaresField(each, member));
  }

  private Stream<ClassFile> declaring(ClassFile type, Member member) {
    return member.name().equals(MethodInfo.nameInit)
        ? Stream.of(type)
        : Stream.concat(Stream.of(type), supertypes(type).stream());
  }

  private static boolean declaresField(ClassFile type, Member member) {
    return type.getFields().stream()
        .anyMatch(
            (FieldInfo field) ->
                field.getName().equals(member.name())
                    && field.getDescriptor().equals(member.descriptor()));
  }

  /** Whether a class itself declares a method or constructor. */
  static boolean declares(ClassFile type, String name, String descriptor) {
    return type.getMethods().stream()
        .anyMatch(
            (MethodInfo method) ->
                method.getName().equals(name) && method.getDescriptor().equals(descriptor));
  }

  /** Whether a subclass can override a method. */
  static boolean isOverridable(MethodInfo method) {
    int flags = method.getAccessFlags();
    return method.isMethod()
        && (flags & (AccessFlag.PRIVATE | AccessFlag.STATIC | AccessFlag.SYNTHETIC)) == 0;
  }
}
