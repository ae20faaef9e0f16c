import {
  type DeviceStore,
  type GatewayStore,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import { createMemoryBudgets } from "./memory-budgets.js";
import { createMemoryChanges } from "./memory-changes.js";
import { createMemoryClaims } from "./memory-claims.js";
import { createMemoryConfig } from "./memory-config.js";
import { createMemoryCredentials } from "./memory-credentials.js";
import { createMemoryDevices } from "./memory-devices.js";
import { createMemoryOtaEvents } from "./memory-ota-events.js";
import { createMemoryReleases } from "./memory-releases.js";
import { createMemoryRemoval } from "./memory-removal.js";
import { createMemoryState, type MemoryState, type Transitions } from "./memory-state.js";
import { createMemoryTelemetry } from "./memory-telemetry.js";
import { createMemoryUpdates } from "./memory-updates.js";

/**
 * Creates a store that keeps everything in this process, for tests: the plainest store that keeps
 * every promise. Stores over one `state` see each other's writes.
 */
export function createMemoryStore(state: MemoryState = createMemoryState()): GatewayStore {
  let open = true;
  // Copies go in and out, as with a database: what a caller does to its own changes nothing here.
  const answer =
    <Input, Output>(transition: (input: Input) => Output) =>
    async (input: Input): Promise<Output> => {
      if (!open) throw new StoreUnavailableError("The store is closed.");
      return structuredClone(transition(structuredClone(input)));
    };
  const toPort = <Port>(transitions: Transitions<Port>): Port => {
    const methods = Object.entries(transitions) as [string, (input: unknown) => unknown][];
    return Object.fromEntries(methods.map(([name, run]) => [name, answer(run)])) as Port;
  };
  return {
    devices: toPort<DeviceStore>({
      ...createMemoryDevices(state),
      ...createMemoryCredentials(state),
      ...createMemoryRemoval(state),
    }),
    claims: toPort(createMemoryClaims(state)),
    config: toPort(createMemoryConfig(state)),
    telemetry: toPort(createMemoryTelemetry(state)),
    otaEvents: toPort(createMemoryOtaEvents(state)),
    updates: toPort(createMemoryUpdates(state)),
    releases: toPort(createMemoryReleases(state)),
    budgets: toPort(createMemoryBudgets(state)),
    securityEvents: {
      list: answer(({ after, limit }) =>
        state.events.filter(({ id }) => id > after).slice(0, limit),
      ),
      newest: answer(({ before, limit }) =>
        state.events
          .filter(({ id }) => id < before)
          .toReversed()
          .slice(0, limit),
      ),
    },
    changes: toPort(createMemoryChanges(state)),
    ping: answer<void, void>(() => {}),
    close: async () => {
      open = false;
    },
  };
}
