import { alerts } from "./alerts.js";
import { alertsInOrder } from "./alerts-in-order.js";
import { benchMode } from "./bench-mode.js";
import { boundedSearches } from "./bounded-searches.js";
import { budgets } from "./budgets.js";
import { cells } from "./cells.js";
import { crowdsBySeq } from "./crowds-by-seq.js";
import { deviceCommands } from "./device-commands.js";
import { deviceMetadata } from "./device-metadata.js";
import { deviceSearch } from "./device-search.js";
import { devicesAndTransitions } from "./devices-and-transitions.js";
import { erasedRows } from "./erased-rows.js";
import { eventLog } from "./event-log.js";
import { eventsByKind } from "./events-by-kind.js";
import { eventsPrunedByKind } from "./events-pruned-by-kind.js";
import { followers } from "./followers.js";
import { keyCheck } from "./key-check.js";
import { markedRotations } from "./marked-rotations.js";
import { metricDescriptions } from "./metric-descriptions.js";
import { randomShapeNumbers } from "./random-shape-numbers.js";
import { replicaIdentities } from "./replica-identities.js";
import { replicaMark } from "./replica-mark.js";
import { shapeQuotas } from "./shape-quotas.js";
import { telemetry } from "./telemetry.js";
import { telemetryByPosition } from "./telemetry-by-position.js";
import { telemetryRefusals } from "./telemetry-refusals.js";
import { updateNow } from "./update-now.js";
import { updates } from "./updates.js";
import { webhooks } from "./webhooks.js";

/**
 * The migrations in order: migration n, counted from 1, turns version n - 1 into version n. Never
 * change a released migration. Device ids use the collation "C": they compare as bytes.
 */
export const migrations: readonly string[] = [
  devicesAndTransitions,
  telemetry,
  updates,
  budgets,
  markedRotations,
  shapeQuotas,
  benchMode,
  keyCheck,
  deviceMetadata,
  telemetryByPosition,
  followers,
  telemetryRefusals,
  deviceSearch,
  deviceCommands,
  randomShapeNumbers,
  replicaMark,
  eventLog,
  alerts,
  webhooks,
  eventsByKind,
  metricDescriptions,
  replicaIdentities,
  cells,
  updateNow,
  erasedRows,
  crowdsBySeq,
  boundedSearches,
  alertsInOrder,
  eventsPrunedByKind,
];
