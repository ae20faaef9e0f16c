import type { Announcer } from "../events/announcer.js";
import type { GatewayReads, GatewayStore } from "../ports/gateway-store.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { UnwantedWorkError } from "../shared/unwanted-work-error.js";
import type { Tracer } from "./tracer.js";

type Method = (...inputs: unknown[]) => Promise<unknown>;

export interface WatchedStore {
  readonly store: GatewayStore;
  /** Returns the number of calls that this process waits for. */
  pendingCalls(): number;
}

/** Counts a store's calls, announces failures, and traces the calls if there is a tracer. */
export function watchStore(
  store: GatewayStore,
  events: Announcer,
  tracer: Tracer | undefined,
): WatchedStore {
  let pending = 0;

  const watch = (call: string, method: Method): Method => {
    const name = `store.${call}`;
    return async (...inputs) => {
      pending += 1;
      try {
        return tracer === undefined
          ? await method(...inputs)
          : await tracer.traceCall(name, () => method(...inputs));
      } catch (error) {
        if (!(error instanceof UnwantedWorkError)) {
          const unavailable = error instanceof StoreUnavailableError;
          events.announce({ kind: "store.failed", call, unavailable });
        }
        throw error;
      } finally {
        pending -= 1;
      }
    };
  };

  /** Uses a proxy, because a port's methods may be on its prototype. */
  const watchPort = <Port extends object>(name: string, port: Port): Port => {
    const watched = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get(target, key) {
        const cached = watched.get(key);
        if (cached !== undefined) return cached;
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        // Looked up at each call, because a port's method may be replaced, as tests do.
        const call: Method = (...inputs) =>
          (Reflect.get(target, key) as Method).apply(target, inputs);
        const method = watch(`${name}.${String(key)}`, call);
        watched.set(key, method);
        return method;
      },
    });
  };

  const { openReads, settle } = store;
  const watchReads = async (open: () => Promise<GatewayReads>): Promise<GatewayReads> => {
    const reads = (await watch("openReads", open)()) as GatewayReads;
    return {
      telemetry: watchPort("telemetry", reads.telemetry),
      updates: watchPort("updates", reads.updates),
      lagMs: reads.lagMs,
    };
  };

  return {
    pendingCalls: () => pending,
    store: {
      devices: watchPort("devices", store.devices),
      claims: watchPort("claims", store.claims),
      config: watchPort("config", store.config),
      metadata: watchPort("metadata", store.metadata),
      metrics: watchPort("metrics", store.metrics),
      commands: watchPort("commands", store.commands),
      telemetry: watchPort("telemetry", store.telemetry),
      refusals: watchPort("refusals", store.refusals),
      budgets: watchPort("budgets", store.budgets),
      otaEvents: watchPort("otaEvents", store.otaEvents),
      updates: watchPort("updates", store.updates),
      releases: watchPort("releases", store.releases),
      alerts: watchPort("alerts", store.alerts),
      securityEvents: watchPort("securityEvents", store.securityEvents),
      changes: watchPort("changes", store.changes),
      followers: watchPort("followers", store.followers),
      ...(openReads && { openReads: () => watchReads(openReads) }),
      ...(settle && { settle: watch("settle", settle as Method) as typeof settle }),
      webhooks: watchPort("webhooks", store.webhooks),
      keepKeyCheck: (value) => store.keepKeyCheck(value),
      ping: watch("ping", () => store.ping()) as () => Promise<void>,
      close: () => store.close(),
    },
  };
}
