/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.List;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * A plot with what belongs beside it. Immutable by convention; any thread may read it.
 *
 * @param id file name and anchor
 * @param section heading it stands under
 * @param chart the plot
 * @param caption what it shows, and how to read it
 * @param results whose raw data and environment are named
 */
record Figure(String id, String section, Chart<?, ?> chart, String caption, List<Result> results) {}
