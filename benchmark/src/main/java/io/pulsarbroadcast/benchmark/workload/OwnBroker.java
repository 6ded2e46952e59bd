/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import java.nio.file.Path;

/**
 * What a broker of our own is started from. Immutable; any thread may call it.
 *
 * @param pulsarHome the unpacked distribution
 * @param nar the plugin
 * @param heapMegabytes of the broker's JVM
 * @param directMegabytes of the broker's JVM
 */
record OwnBroker(Path pulsarHome, Path nar, int heapMegabytes, int directMegabytes) {}
