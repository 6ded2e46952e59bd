/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The commands of {@code pulsar-admin broadcast}. Pulsar loads {@link
 * io.pulsarbroadcast.admin.BroadcastCommandFactory} from the NAR.
 */
package io.pulsarbroadcast.admin;
