import { budgets } from "./budgets.js";
import { devicesAndTransitions } from "./devices-and-transitions.js";
import { markedRotations } from "./marked-rotations.js";
import { shapeQuotas } from "./shape-quotas.js";
import { telemetry } from "./telemetry.js";
import { updates } from "./updates.js";

/**
 * The way to the current schema: migration n, counted from 1, makes version n of version n - 1.
 * Forward only, and never changed once released. Ids of devices compare as bytes.
 */
export const migrations: readonly string[] = [
  devicesAndTransitions,
  telemetry,
  updates,
  budgets,
  markedRotations,
  shapeQuotas,
];
