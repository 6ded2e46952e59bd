/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The implementation of one of our interfaces that sends the calls of the Pulsar interface it
 * extends to a wrapped object.
 *
 * <p>A proxy in place of a class with a method for each method, because the interfaces of newer
 * Pulsar clients have more of them. As safe for threads as the wrapped object.
 *
 * @param <A> the Pulsar interface
 * @param <P> our interface
 */
abstract class DelegatingHandler<A, P extends A> implements InvocationHandler {
  private final Class<? super A> api;
  private final Class<? super P> ours;
  final A delegate;
  final P proxy;

  DelegatingHandler(Class<? super A> api, Class<? super P> ours, A delegate) {
    this.api = api;
    this.ours = ours;
    this.delegate = delegate;
    @SuppressWarnings("unchecked")
    P instance = (P) Proxy.newProxyInstance(ours.getClassLoader(), new Class<?>[] {ours}, this);
    this.proxy = instance;
  }

  /** A call of one of our interface's methods; {@code args} is never null. */
  abstract Object call(Method method, Object[] args) throws Throwable;

  @Override
  public final Object invoke(Object self, Method method, Object[] args) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> self == args[0];
        case "hashCode" -> System.identityHashCode(self);
        default -> ours.getSimpleName() + "[" + delegate + "]";
      };
    }
    return call(method, args == null ? new Object[0] : args);
  }

  /** Calls the wrapped object, and throws what it throws. */
  final Object forward(Method method, Object[] args) throws Throwable {
    try {
      return methodOfDelegate(method).invoke(delegate, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Method methodOfDelegate(Method method) {
    if (method.getDeclaringClass().isInstance(delegate)) {
      return method;
    }
    try { // a covariant declaration of ours
      return api.getMethod(method.getName(), method.getParameterTypes());
    } catch (NoSuchMethodException e) {
      throw new UnsupportedOperationException(
          "The Pulsar client on the class path has no " + api.getSimpleName() + "." + method, e);
    }
  }
}
