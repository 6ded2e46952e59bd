/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/** The broker plugin's REST API, through the HTTP client of pulsar-admin. */
package io.pulsarbroadcast.admin.rest;
