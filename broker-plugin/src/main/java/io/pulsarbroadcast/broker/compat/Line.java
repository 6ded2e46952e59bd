/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The broker versions for which a class, method or constructor is there. On others it is never
 * linked, so {@link Linkage} does not look at it. Versions are compared number by number.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface Line {

  /** The first version that is known to have it, {@code 3.2} for instance. */
  String from() default "0";

  /** The first version after it for which it is not there any more. */
  String before() default "1000";
}
