/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import java.io.IOException;

/**
 * The main class of the floor's process. Says its address in one line and runs until its input
 * ends, which it does with the process that started it.
 */
public final class FloorMain {
  private FloorMain() {}

  public static void main(String[] arguments) throws IOException {
    try (FloorServer server = new FloorServer()) {
      System.out.println(server.serviceUrl());
      while (System.in.read() >= 0) {
        // Nothing is said to the floor.
      }
    }
  }
}
