export { describeReason } from "./describe-reason.js";
export type { PinnedKey } from "./trusted-keys.js";
export {
  createUpdateNetwork,
  type UpdateNetworkOptions,
  type UpdateTokens,
} from "./update-network.js";
export type { UpdateOutcome } from "./update-outcome.js";
export type {
  BootControl,
  FlashSlot,
  UpdateClock,
  UpdateNetwork,
  UpdatePorts,
  UpdateStorage,
} from "./update-ports.js";
export type { UpdateReport } from "./update-report.js";
export { createUpdater, type Updater, type UpdaterOptions } from "./updater.js";
