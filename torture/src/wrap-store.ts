import type { GatewayStore } from "@device-gateway/core";

/** Wraps a call of a port's method, or of the store itself (`store.ping`). */
export type AroundCall = (name: string, run: () => Promise<unknown>) => Promise<unknown>;

type Methods = Record<string, (input?: unknown) => Promise<unknown>>;

const isMethods = (value: unknown): value is Methods => typeof value === "object" && value !== null;

function wrapMethods(methods: Methods, prefix: string, around: AroundCall): Methods {
  const wrapped = Object.entries(methods).map(([name, method]): [string, Methods[string]] => [
    name,
    (input) => around(`${prefix}.${name}`, () => method(input)),
  ]);
  return Object.fromEntries(wrapped);
}

/** Wraps every method of every port of a store, except `close`. */
export function wrapStore(store: GatewayStore, around: AroundCall): GatewayStore {
  const ports = Object.entries(store).map(([name, port]): [string, unknown] => [
    name,
    isMethods(port) ? wrapMethods(port, name, around) : port,
  ]);
  return {
    ...(Object.fromEntries(ports) as unknown as GatewayStore),
    ping: async () => void (await around("store.ping", () => store.ping())),
    close: () => store.close(),
  };
}
