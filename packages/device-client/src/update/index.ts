export { describeReason } from "./describe-reason.js";
export type { UpdateOutcome } from "./machine/update-outcome.js";
export type { UpdateReport } from "./machine/update-report.js";
export {
  createUpdateNetwork,
  type UpdateNetworkOptions,
  type UpdateTokens,
} from "./network/update-network.js";
export type { PinnedKey } from "./offer/trusted-keys.js";
export type {
  BootControl,
  FlashSlot,
  UpdateClock,
  UpdateNetwork,
  UpdatePorts,
  UpdateStorage,
} from "./update-ports.js";
export { createUpdater, type Updater, type UpdaterOptions } from "./updater.js";
