/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** What people and programs read: tables, durations, sizes, JSON and errors. */
package io.pulsarbroadcast.admin.terminal;
