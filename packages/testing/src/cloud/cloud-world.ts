import {
  createGateway,
  createRouteMatcher,
  type Gateway,
  type GatewayRequest,
  generateSecrets,
  Limits,
  silentLogger,
} from "@device-gateway/core";
import { type RouteName, routes } from "@device-gateway/core/contract";
import type { GatewayStore } from "@device-gateway/core/store";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, type FakeClock } from "../fixtures/fake-clock.js";
import { type CloudUsers, createCloudUsers } from "./cloud-users.js";
import { createDueMaintenance, type DueMaintenance } from "./due-maintenance.js";
import { createFaultPlan, type FaultPlan } from "./fault-plan.js";
import type { RecordedRequest } from "./recorded-request.js";
import type { ReleaseKey, TestCloudOptions } from "./test-cloud.js";

/** What a reset replaces: the store with its data, the clock, the accounts, the planned faults and the record. */
export interface CloudWorld {
  readonly store: GatewayStore;
  readonly clock: FakeClock;
  readonly users: CloudUsers;
  readonly faults: FaultPlan;
  readonly requests: RecordedRequest[];
  readonly tokenTtlSeconds: number;
  /** Returns the route of a request, or null if its path is not a route of the API. */
  routeOf(request: GatewayRequest): RouteName | null;
  readonly maintain: DueMaintenance;
  /** Starts a gateway over the store. Everything that the former one had only in memory is lost. */
  startGateway(publicUrl: string): Promise<Gateway>;
}

/** Returns a clock that runs in real time, ahead by what it was advanced. */
function createRunningClock(): FakeClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms;
    },
  };
}

/** Creates a new world. Its gateway verifies releases with `releaseKey`. */
export function createCloudWorld(options: TestCloudOptions, releaseKey: ReleaseKey): CloudWorld {
  const { realTime = false } = options;
  const clock = realTime ? createRunningClock() : createFakeClock();
  const store = options.gateway?.store ?? createMemoryStore();
  const users = createCloudUsers();
  const gatewayOptions = {
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    firmware: {
      keys: [{ id: releaseKey.id, publicKey: releaseKey.pem }],
      artifacts: createMemoryArtifactStore(),
    },
    ...options.gateway,
    store,
    clock,
    customers: users,
  };
  const matcher = createRouteMatcher(routes, gatewayOptions.basePaths ?? ["/api/v1"]);
  return {
    store,
    clock,
    users,
    faults: createFaultPlan(),
    requests: [],
    tokenTtlSeconds: Limits.parse(gatewayOptions.limits ?? {}).tokenTtlSeconds,
    routeOf({ method, path }) {
      const match = matcher.match(method, path);
      return match.kind === "matched" ? (match.name as RouteName) : null;
    },
    maintain: createDueMaintenance(clock, options.gateway?.logger ?? silentLogger),
    startGateway: (publicUrl) => createGateway({ ...gatewayOptions, publicUrl }),
  };
}
