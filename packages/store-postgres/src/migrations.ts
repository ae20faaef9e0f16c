import { budgets } from "./migrations/budgets.js";
import { devicesAndTransitions } from "./migrations/devices-and-transitions.js";
import { markedRotations } from "./migrations/marked-rotations.js";
import { shapeQuotas } from "./migrations/shape-quotas.js";
import { telemetry } from "./migrations/telemetry.js";
import { updates } from "./migrations/updates.js";

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
