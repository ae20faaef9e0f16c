import type { GatewayRequest, GatewayResponse } from "@device-gateway/core";
import {
  createGateway,
  createRouteMatcher,
  generateSecrets,
  Limits,
  operator,
  publishRelease,
  renderFailure,
  toFetchHandler,
} from "@device-gateway/core";
import { type RouteName, routes } from "@device-gateway/core/contract";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, type FakeClock } from "../fixtures/fake-clock.js";
import { addDevice } from "./add-device.js";
import { type CloudServer, openCloudServer } from "./cloud-server.js";
import { createCloudUsers } from "./cloud-users.js";
import { applyFault, ConnectionBrokenError, type Fault } from "./fault.js";
import { createFaultPlan } from "./fault-plan.js";
import { createRequestRecorder, type RecordedRequest } from "./recorded-request.js";
import { createReleaseSigner } from "./release-signer.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

const origin = { requestId: null, clientAddress: null };
const page = 500;
const baseUrl = "http://cloud.test";

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

const unavailable = (retryAfterSeconds: number): GatewayResponse =>
  renderFailure({ code: "unavailable" }, "planned", { "retry-after": String(retryAfterSeconds) });

/** Reads every page of a list. */
async function readAll<Item>(
  read: (after: number) => Promise<readonly Item[]>,
  positionOf: (item: Item) => number,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (;;) {
    const last = all.at(-1);
    const items = await read(last === undefined ? 0 : positionOf(last));
    all.push(...items);
    if (items.length < page) return all;
  }
}

/**
 * Starts a whole gateway for one test, over a new memory store by default. `close` stops its servers and closes the
 * store.
 *
 * @example
 * const cloud = await createTestCloud();
 * cloud.fail("registerDevice", { kind: "lost_answer" });
 * // … your device registers through cloud.fetch …
 * await cloud.close();
 */
export async function createTestCloud(options: TestCloudOptions = {}): Promise<TestCloud> {
  const { realTime = false } = options;
  const clock = realTime ? createRunningClock() : createFakeClock();
  const store = options.gateway?.store ?? createMemoryStore();
  const users = createCloudUsers();
  const signer = createReleaseSigner();
  const gatewayOptions = {
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    firmware: {
      keys: [{ id: signer.key.id, publicKey: signer.key.pem }],
      artifacts: createMemoryArtifactStore(),
    },
    ...options.gateway,
    store,
    clock,
    customers: users,
  };
  const { tokenTtlSeconds } = Limits.parse(gatewayOptions.limits ?? {});
  const matcher = createRouteMatcher(routes, gatewayOptions.basePaths ?? ["/api/v1"]);
  const faults = createFaultPlan();
  const requests: RecordedRequest[] = [];
  const servers: CloudServer[] = [];
  // Download URLs begin with it. In process, any origin works.
  let publicUrl = baseUrl;
  const startGateway = () => createGateway({ ...gatewayOptions, publicUrl });
  let gateway = await startGateway();
  let isOffline = false;

  function routeOf({ method, path }: GatewayRequest): RouteName | null {
    const match = matcher.match(method, path);
    return match.kind === "matched" ? (match.name as RouteName) : null;
  }

  async function deliver(request: GatewayRequest): Promise<GatewayResponse> {
    const route = routeOf(request);
    const fault: Fault | null = isOffline ? { kind: "unreachable" } : faults.next(route);
    const recorder = createRequestRecorder(request, clock.now());
    const record = (status: number | null) =>
      requests.push(recorder.record({ route, status, fault }));
    if (fault?.kind === "unreachable") {
      record(null);
      throw new ConnectionBrokenError("The test cloud is unreachable.");
    }
    if (fault?.kind === "unavailable") {
      record(503);
      return unavailable(fault.retryAfterSeconds);
    }
    const response = await gateway.handle(recorder.request);
    record(response.status);
    if (fault?.kind === "lost_answer")
      throw new ConnectionBrokenError("The connection broke before the response arrived.");
    return fault === null ? response : applyFault(response, fault);
  }

  const unknown = { clientAddress: () => null };
  const inProcess = toFetchHandler({ handle: deliver }, unknown);
  const plain = toFetchHandler({ handle: (request) => gateway.handle(request) }, unknown);
  const fetchUnrecorded = (request: Request) => plain(request);

  return {
    baseUrl,
    fetch: async (input, init) => inProcess(new Request(input, init)),
    async listen(address = {}) {
      const server = await openCloudServer(deliver, address);
      servers.push(server);
      publicUrl = server.url;
      gateway = await startGateway();
      return server.url;
    },
    clock,
    async sleep(ms) {
      clock.advance(ms);
    },
    addDevice: (plan = {}) => addDevice(fetchUnrecorded, baseUrl, users, plan),
    releaseKey: signer.key,
    async addRelease(plan) {
      const release = signer.sign(plan, new Date(clock.now()).toISOString());
      const { image } = plan;
      const published = await publishRelease(gateway.as(operator({ id: "test" })), {
        release,
        image,
      });
      if (published.isErr())
        throw new Error(
          `The gateway did not publish the release: ${JSON.stringify(published.error)}`,
        );
      return published.value;
    },
    signIn: users.signIn,
    fail: faults.plan,
    clearFaults: faults.clear,
    expireTokens: () => clock.advance(tokenTtlSeconds * 1000 + 1),
    async revoke(deviceId) {
      const event = { kind: "device.revoked", at: clock.now(), deviceId, actor: "test" } as const;
      await store.devices.revoke({
        deviceId,
        now: clock.now(),
        event: { ...event, ...origin, details: {} },
      });
      // The gateway caches a device for less than a second.
      clock.advance(1_000);
    },
    async goOffline() {
      isOffline = true;
      await Promise.all(servers.map((server) => server.goOffline()));
    },
    async goOnline() {
      isOffline = false;
      await Promise.all(servers.map((server) => server.goOnline()));
    },
    async restart() {
      gateway = await startGateway();
    },
    requests,
    requestsTo: (route) => requests.filter((request) => request.route === route),
    async records(deviceId) {
      const read = (after: number) => store.telemetry.read({ deviceId, after, limit: page });
      const records = await readAll(read, ({ position }) => position);
      return records.map(({ value }) => value);
    },
    auditTrail: () =>
      readAll(
        (after) => store.securityEvents.list({ after, limit: page }),
        ({ id }) => id,
      ),
    store,
    get gateway() {
      return gateway;
    },
    async close() {
      await Promise.all(servers.map((server) => server.goOffline()));
      await store.close();
    },
  };
}
