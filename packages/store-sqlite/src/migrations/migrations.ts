import { alerts } from "./alerts.js";
import { benchMode } from "./bench-mode.js";
import { boundedSearches } from "./bounded-searches.js";
import { crowdsBySeq } from "./crowds-by-seq.js";
import { deviceCommands } from "./device-commands.js";
import { deviceMetadata } from "./device-metadata.js";
import { deviceSearch } from "./device-search.js";
import { erasedAlerts } from "./erased-alerts.js";
import { erasedDevices } from "./erased-devices.js";
import { eventLog } from "./event-log.js";
import { eventsByKind } from "./events-by-kind.js";
import { firstTables } from "./first-tables.js";
import { followers } from "./followers.js";
import { keyCheck } from "./key-check.js";
import { markedRotations } from "./marked-rotations.js";
import { metricDescriptions } from "./metric-descriptions.js";
import { packedTelemetry } from "./packed-telemetry.js";
import { releases } from "./releases.js";
import { shapeIntroducers } from "./shape-introducers.js";
import { telemetryRefusals } from "./telemetry-refusals.js";
import { telemetrySenders } from "./telemetry-senders.js";
import { updateNow } from "./update-now.js";
import { updates } from "./updates.js";
import { webhooks } from "./webhooks.js";

/**
 * Identifies a database file of the device gateway: "DGWY"
 * (https://sqlite.org/pragma.html#pragma_application_id).
 */
export const applicationId = 0x44475759;

/**
 * The migrations in order: migration n, counted from 1, turns version n - 1 into version n. Never
 * change a released migration.
 */
export const migrations: readonly string[] = [
  firstTables,
  packedTelemetry,
  releases,
  updates,
  telemetrySenders,
  erasedDevices,
  markedRotations,
  shapeIntroducers,
  benchMode,
  keyCheck,
  deviceMetadata,
  followers,
  telemetryRefusals,
  deviceSearch,
  deviceCommands,
  eventLog,
  alerts,
  webhooks,
  eventsByKind,
  metricDescriptions,
  updateNow,
  crowdsBySeq,
  boundedSearches,
  erasedAlerts,
];
