import { type GatewayStore, StoreUnavailableError } from "../store.js";
import { createMemoryConfig } from "./memory/memory-config.js";
import { createMemoryDevices } from "./memory/memory-devices.js";
import { createMemoryState, type MemoryState } from "./memory/memory-state.js";
import { createMemoryTelemetry } from "./memory/memory-telemetry.js";

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
  const devices = createMemoryDevices(state);
  const config = createMemoryConfig(state);
  const telemetry = createMemoryTelemetry(state);
  return {
    devices: {
      find: answer(devices.find),
      register: answer(devices.register),
      recordProfile: answer(devices.recordProfile),
    },
    config: { replaceOverrides: answer(config.replaceOverrides) },
    telemetry: { append: answer(telemetry.append), read: answer(telemetry.read) },
    securityEvents: {
      list: answer(({ after, limit }) =>
        state.events.filter(({ id }) => id > after).slice(0, limit),
      ),
    },
    ping: answer<void, void>(() => {}),
    close: async () => {
      open = false;
    },
  };
}
