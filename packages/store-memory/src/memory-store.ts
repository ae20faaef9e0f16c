import {
  type CellStore,
  type DeviceStore,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import { createMemoryAlerts } from "./alert/memory-alerts.js";
import { createMemoryBudgets } from "./device/memory-budgets.js";
import { createMemoryClaims } from "./device/memory-claims.js";
import { createMemoryCommands } from "./device/memory-commands.js";
import { createMemoryConfig } from "./device/memory-config.js";
import { createMemoryCredentials } from "./device/memory-credentials.js";
import { createMemoryDevices } from "./device/memory-devices.js";
import { createMemoryMetadata } from "./device/memory-metadata.js";
import { createMemoryRemoval } from "./device/memory-removal.js";
import { createMemorySecurityEvents } from "./device/memory-security-events.js";
import { createMemoryCell } from "./memory-cell.js";
import { createMemoryChanges } from "./memory-changes.js";
import { createMemoryFollowers } from "./memory-followers.js";
import { createMemoryState, type MemoryState, type Transitions } from "./memory-state.js";
import { createMemoryWebhooks } from "./memory-webhooks.js";
import { createMemoryOtaEvents } from "./ota/memory-ota-events.js";
import { createMemoryReleases } from "./ota/memory-releases.js";
import { createMemoryUpdates } from "./ota/memory-updates.js";
import { createMemoryMetrics } from "./telemetry/memory-metrics.js";
import { createMemoryRefusals } from "./telemetry/memory-refusals.js";
import { createMemoryTelemetry } from "./telemetry/memory-telemetry.js";

/**
 * Creates a store that keeps everything in memory, for tests, prototypes and edge runtimes. It passes the whole
 * conformance suite. Stores with the same `state` share their data.
 *
 * @example
 * const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
 */
export function createMemoryStore(state: MemoryState = createMemoryState()): CellStore {
  let open = true;
  // Copies input and output, so that callers cannot change stored objects.
  const toMethod =
    <Input, Output>(transition: (input: Input) => Output) =>
    async (input: Input): Promise<Output> => {
      if (!open) throw new StoreUnavailableError("The store is closed.");
      return structuredClone(transition(structuredClone(input)));
    };
  const toPort = <Port>(transitions: Transitions<Port>): Port => {
    const methods = Object.entries(transitions) as [string, (input: unknown) => unknown][];
    return Object.fromEntries(methods.map(([name, run]) => [name, toMethod(run)])) as Port;
  };
  const telemetry = toPort(createMemoryTelemetry(state));
  return {
    devices: toPort<DeviceStore>({
      ...createMemoryDevices(state),
      ...createMemoryCredentials(state),
      ...createMemoryRemoval(state),
    }),
    claims: toPort(createMemoryClaims(state)),
    config: toPort(createMemoryConfig(state)),
    metadata: toPort(createMemoryMetadata(state)),
    metrics: toPort(createMemoryMetrics(state)),
    commands: toPort(createMemoryCommands(state)),
    telemetry: {
      ...telemetry,
      // The caller reads `progress`, so it must not be copied.
      async aggregate({ progress, ...query }) {
        const atMost = Number.MAX_SAFE_INTEGER;
        if (progress) progress.records += await telemetry.count({ ...query, atMost });
        return telemetry.aggregate(query);
      },
    },
    refusals: toPort(createMemoryRefusals(state)),
    otaEvents: toPort(createMemoryOtaEvents(state)),
    updates: toPort(createMemoryUpdates(state)),
    releases: toPort(createMemoryReleases(state)),
    budgets: toPort(createMemoryBudgets(state)),
    alerts: toPort(createMemoryAlerts(state)),
    securityEvents: toPort(createMemorySecurityEvents(state)),
    changes: toPort(createMemoryChanges(state)),
    followers: toPort(createMemoryFollowers(state)),
    webhooks: toPort(createMemoryWebhooks(state)),
    cell: toPort(createMemoryCell(state)),
    keepKeyCheck: toMethod((value) => {
      state.keyCheck ??= value;
      return state.keyCheck;
    }),
    ping: toMethod<void, void>(() => {}),
    close: async () => {
      open = false;
    },
  };
}
