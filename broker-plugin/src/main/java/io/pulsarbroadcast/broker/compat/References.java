/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.BootstrapMethodsAttribute;
import javassist.bytecode.BootstrapMethodsAttribute.BootstrapMethod;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeAttribute;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ExceptionTable;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/**
 * What the byte code of one method refers to, and the JVM links when it runs: members, and classes
 * that it makes, casts to, catches or names. For one thread.
 */
final class References {

  private static final Pattern CLASS_IN_DESCRIPTOR = Pattern.compile("L([^;]+);");

  /**
   * A field or method of a class.
   *
   * @param owner the class that the code names, which may inherit the member
   */
  record Member(String owner, String name, String descriptor) {

    boolean isMethod() {
      return descriptor.startsWith("(");
    }
  }

  private final ConstPool pool;
  private final BootstrapMethod[] bootstraps;
  private final Set<String> classes = new LinkedHashSet<>();
  private final Set<Member> members = new LinkedHashSet<>();

  private References(ClassFile type) {
    this.pool = type.getConstPool();
    this.bootstraps =
        type.getAttribute(BootstrapMethodsAttribute.tag) instanceof BootstrapMethodsAttribute all
            ? all.getMethods()
            : new BootstrapMethod[0];
  }

  /** Reads the code of a method, which may have none. */
  static References of(ClassFile type, MethodInfo method) {
    References found = new References(type);
    CodeAttribute code = method.getCodeAttribute();
    if (code != null) {
      try {
        found.read(code);
      } catch (BadBytecode e) {
        throw new IllegalStateException(
            "Cannot read " + type.getName() + "." + method.getName(), e);
      }
    }
    return found;
  }

  Set<String> classes() {
    return classes;
  }

  Set<Member> members() {
    return members;
  }

  private void read(CodeAttribute code) throws BadBytecode {
    for (CodeIterator each = code.iterator(); each.hasNext(); ) {
      int at = each.next();
      switch (each.byteAt(at)) {
        case Opcode.INVOKEVIRTUAL,
            Opcode.INVOKESPECIAL,
            Opcode.INVOKESTATIC,
            Opcode.INVOKEINTERFACE,
            Opcode.GETFIELD,
            Opcode.GETSTATIC,
            Opcode.PUTFIELD,
            Opcode.PUTSTATIC,
            Opcode.NEW,
            Opcode.CHECKCAST,
            Opcode.INSTANCEOF,
            Opcode.ANEWARRAY,
            Opcode.MULTIANEWARRAY,
            Opcode.INVOKEDYNAMIC,
            Opcode.LDC_W ->
            constant(each.u16bitAt(at + 1));
        case Opcode.LDC -> constant(each.byteAt(at + 1));
        default -> {
          // Refers to nothing.
        }
      }
    }
    ExceptionTable caught = code.getExceptionTable();
    for (int i = 0; i < caught.size(); i++) {
      if (caught.catchType(i) != 0) {
        constant(caught.catchType(i));
      }
    }
  }

  private void constant(int index) {
    switch (pool.getTag(index)) {
      case ConstPool.CONST_Class -> type(pool.getClassInfoByDescriptor(index));
      case ConstPool.CONST_Fieldref ->
          member(
              pool.getFieldrefClassName(index),
              pool.getFieldrefName(index),
              pool.getFieldrefType(index));
      case ConstPool.CONST_Methodref ->
          member(
              pool.getMethodrefClassName(index),
              pool.getMethodrefName(index),
              pool.getMethodrefType(index));
      case ConstPool.CONST_InterfaceMethodref ->
          member(
              pool.getInterfaceMethodrefClassName(index),
              pool.getInterfaceMethodrefName(index),
              pool.getInterfaceMethodrefType(index));
      case ConstPool.CONST_MethodHandle -> constant(pool.getMethodHandleIndex(index));
      case ConstPool.CONST_MethodType -> type(pool.getUtf8Info(pool.getMethodTypeInfo(index)));
      case ConstPool.CONST_InvokeDynamic -> {
        type(pool.getInvokeDynamicType(index));
        for (int argument : bootstraps[pool.getInvokeDynamicBootstrap(index)].arguments) {
          constant(argument);
        }
      }
      default -> {
        // A number or a string.
      }
    }
  }

  private void member(String owner, String name, String descriptor) {
    classes.add(owner);
    members.add(new Member(owner, name, descriptor));
  }

  /** The classes in the descriptor of a class, array or method. */
  private void type(String descriptor) {
    CLASS_IN_DESCRIPTOR
        .matcher(descriptor)
        .results()
        .map(found -> found.group(1).replace('/', '.'))
        .forEach(classes::add);
  }
}
