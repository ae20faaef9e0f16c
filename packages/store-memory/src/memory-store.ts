import {
  type DeviceStore,
  type GatewayStore,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import { createMemoryAlerts } from "./memory-alerts.js";
import { createMemoryBudgets } from "./memory-budgets.js";
import { createMemoryChanges } from "./memory-changes.js";
import { createMemoryClaims } from "./memory-claims.js";
import { createMemoryCommands } from "./memory-commands.js";
import { createMemoryConfig } from "./memory-config.js";
import { createMemoryCredentials } from "./memory-credentials.js";
import { createMemoryDevices } from "./memory-devices.js";
import { createMemoryFollowers } from "./memory-followers.js";
import { createMemoryMetadata } from "./memory-metadata.js";
import { createMemoryOtaEvents } from "./memory-ota-events.js";
import { createMemoryRefusals } from "./memory-refusals.js";
import { createMemoryReleases } from "./memory-releases.js";
import { createMemoryRemoval } from "./memory-removal.js";
import { createMemorySecurityEvents } from "./memory-security-events.js";
import { createMemoryState, type MemoryState, type Transitions } from "./memory-state.js";
import { createMemoryTelemetry } from "./memory-telemetry.js";
import { createMemoryUpdates } from "./memory-updates.js";
import { createMemoryWebhooks } from "./memory-webhooks.js";

/**
 * Creates a store that keeps everything in memory, for tests, prototypes and edge runtimes. It passes the whole
 * conformance suite. Stores with the same `state` share their data.
 *
 * @example
 * const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
 */
export function createMemoryStore(state: MemoryState = createMemoryState()): GatewayStore {
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
  return {
    devices: toPort<DeviceStore>({
      ...createMemoryDevices(state),
      ...createMemoryCredentials(state),
      ...createMemoryRemoval(state),
    }),
    claims: toPort(createMemoryClaims(state)),
    config: toPort(createMemoryConfig(state)),
    metadata: toPort(createMemoryMetadata(state)),
    commands: toPort(createMemoryCommands(state)),
    telemetry: toPort(createMemoryTelemetry(state)),
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
