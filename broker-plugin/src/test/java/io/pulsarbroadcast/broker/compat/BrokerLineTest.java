/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is called by reflection is looked up at the start, on the broker of the class path. */
class BrokerLineTest {

  @Test
  void shouldFitTheBroker() {
    assertThatCode(() -> verify("", "")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "org.apache.pulsar.broker.service.persistent.DispatchRateLimiter|<init>|constructor DispatchRateLimiter(PersistentTopic, String, Type)",
        "org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl|getLedgersInfo|ManagedLedgerImpl.getLedgersInfo()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$ManagedLedgerInfo$LedgerInfo|getEntries|getEntries()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$ManagedCursorInfo|getCursorsLedgerId|ManagedCursorInfo.getCursorsLedgerId()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$ManagedCursorInfo|getPropertiesList|ManagedCursorInfo.getPropertiesList()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$ManagedCursorInfo|getCursorPropertiesList|ManagedCursorInfo.getCursorPropertiesList()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$LongProperty|getName|ManagedCursorInfo.getPropertiesList()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$StringProperty|getName|ManagedCursorInfo.getCursorPropertiesList()",
        "org.apache.bookkeeper.mledger.proto.MLDataFormats$StringProperty|getValue|ManagedCursorInfo.getCursorPropertiesList()",
      })
  void shouldRefuseABrokerWithoutIt(String type, String method, String named) {
    assertThatThrownBy(() -> verify(type, method))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("this broker has no ")
        .hasMessageContaining(named);
  }

  /** Checks the broker of the class path, without a method of the types whose names begin so. */
  private static void verify(String types, String method) throws Throwable {
    ClassLoader broker =
        new ClassLoader(BrokerLineTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null
                ? loaded
                : isOwn(name) ? define(name) : super.loadClass(name, resolve);
          }

          private Class<?> define(String name) throws ClassNotFoundException {
            URL resource = getResource(name.replace('.', '/') + ".class");
            if (resource == null) {
              throw new ClassNotFoundException(name);
            }
            try {
              byte[] bytes = LinkageTest.changed(resource, this::without).readAllBytes();
              return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
              throw new ClassNotFoundException(name, e);
            }
          }

          private void without(ClassFile type) {
            if (!types.isEmpty() && type.getName().startsWith(types)) {
              type.getMethods().removeIf((MethodInfo each) -> each.getName().equals(method));
            }
          }
        };
    Method verify = Class.forName(BrokerLine.class.getName(), false, broker).getMethod("verify");
    try {
      verify.invoke(null);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static boolean isOwn(String type) {
    return type.startsWith("io.pulsarbroadcast.")
        || type.startsWith("org.apache.pulsar.broker.")
        || type.startsWith("org.apache.bookkeeper.mledger.");
  }
}
