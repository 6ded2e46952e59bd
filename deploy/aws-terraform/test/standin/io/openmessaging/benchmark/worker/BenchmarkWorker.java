/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark.worker;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.List;

/** Stands in for a worker of OpenMessaging Benchmark: answers on its port. It measures nothing. */
public final class BenchmarkWorker {
  private BenchmarkWorker() {}

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[List.of(args).indexOf("--port") + 1]);
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }
}
