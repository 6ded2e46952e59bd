/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.LinkedHashMap;

/**
 * The plugin's settings in use on a broker.
 *
 * @param settings by key, in the broker's order; values are whole numbers, booleans and text
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Settings(LinkedHashMap<String, Object> settings) {}
