/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** A self-contained page with plots and tables, from result files of local runs and of OMB. */
package io.pulsarbroadcast.benchmark.report.html;
