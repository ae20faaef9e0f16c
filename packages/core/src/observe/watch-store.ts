import type { Announcer } from "../events/announcer.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import type { Tracer } from "./tracer.js";

type Method = (...inputs: unknown[]) => Promise<unknown>;

export interface WatchedStore {
  readonly store: GatewayStore;
  /** Calls that this process waits for now. */
  underWay(): number;
}

/** Counts the calls of a store, tells of those that fail, and traces them where somebody wants that. */
export function watchStore(
  store: GatewayStore,
  events: Announcer,
  tracer: Tracer | undefined,
): WatchedStore {
  let underWay = 0;

  const watch = (call: string, method: Method): Method => {
    const name = `store.${call}`;
    return async (...inputs) => {
      underWay += 1;
      try {
        return tracer === undefined
          ? await method(...inputs)
          : await tracer.traceCall(name, () => method(...inputs));
      } catch (error) {
        const unavailable = error instanceof StoreUnavailableError;
        events.announce({ kind: "store.failed", call, unavailable });
        throw error;
      } finally {
        underWay -= 1;
      }
    };
  };

  /** By a proxy, since the methods of a port may stand on its prototype. */
  const watchPort = <Port extends object>(name: string, port: Port): Port => {
    const watched = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get(target, key) {
        const known = watched.get(key);
        if (known !== undefined) return known;
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        // Looked up at each call: a port's method may be replaced, as tests do.
        const call: Method = (...inputs) =>
          (Reflect.get(target, key) as Method).apply(target, inputs);
        const method = watch(`${name}.${String(key)}`, call);
        watched.set(key, method);
        return method;
      },
    });
  };

  return {
    underWay: () => underWay,
    store: {
      devices: watchPort("devices", store.devices),
      claims: watchPort("claims", store.claims),
      config: watchPort("config", store.config),
      telemetry: watchPort("telemetry", store.telemetry),
      budgets: watchPort("budgets", store.budgets),
      otaEvents: watchPort("otaEvents", store.otaEvents),
      updates: watchPort("updates", store.updates),
      releases: watchPort("releases", store.releases),
      securityEvents: watchPort("securityEvents", store.securityEvents),
      changes: watchPort("changes", store.changes),
      ping: watch("ping", () => store.ping()) as () => Promise<void>,
      close: () => store.close(),
    },
  };
}
