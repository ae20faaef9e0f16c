import type { GatewayRequest, GatewayResponse } from "@device-gateway/core";
import {
  createGateway,
  createRouteMatcher,
  generateSecrets,
  Limits,
  renderFailure,
  toFetchHandler,
} from "@device-gateway/core";
import { type RouteName, routes } from "@device-gateway/core/contract";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, type FakeClock } from "../fixtures/fake-clock.js";
import { type CloudServer, openCloudServer } from "./cloud-server.js";
import { createCloudUsers } from "./cloud-users.js";
import { ConnectionBrokenError, type Fault, spoil } from "./fault.js";
import { createFaultPlan } from "./fault-plan.js";
import { plantDevice } from "./plant-device.js";
import { createReleaseSigner } from "./release-signer.js";
import { type SeenRequest, watchRequest } from "./seen-request.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

const origin = { requestId: null, clientAddress: null };
const page = 500;
const baseUrl = "http://cloud.test";

/** Real time, and what the clock was advanced by. */
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

/** All of a list that is read in pages. */
async function readAll<Item>(
  read: (after: number) => Promise<readonly Item[]>,
  placeOf: (item: Item) => number,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (;;) {
    const last = all.at(-1);
    const items = await read(last === undefined ? 0 : placeOf(last));
    all.push(...items);
    if (items.length < page) return all;
  }
}

/** Starts a whole gateway for one test. Close it afterwards, or leave it to the end of the process. */
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
  const seen: SeenRequest[] = [];
  const servers: CloudServer[] = [];
  // Downloads begin with it: in process there is one as good as any.
  let publicUrl = baseUrl;
  const startGateway = () => createGateway({ ...gatewayOptions, publicUrl });
  let gateway = await startGateway();
  let isGone = false;

  function routeOf({ method, path }: GatewayRequest): RouteName | null {
    const match = matcher.match(method, path);
    return match.kind === "matched" ? (match.name as RouteName) : null;
  }

  async function deliver(request: GatewayRequest): Promise<GatewayResponse> {
    const route = routeOf(request);
    const fault: Fault | null = isGone ? { kind: "unreachable" } : faults.strike(route);
    const witness = watchRequest(request, clock.now());
    const note = (status: number | null) => seen.push(witness.note({ route, status, fault }));
    if (fault?.kind === "unreachable") {
      note(null);
      throw new ConnectionBrokenError("The cloud can't be reached.");
    }
    if (fault?.kind === "unavailable") {
      note(503);
      return unavailable(fault.retryAfterSeconds);
    }
    const response = await gateway.handle(witness.request);
    note(response.status);
    if (fault?.kind === "lost_answer") throw new ConnectionBrokenError("The answer was lost.");
    return fault === null ? response : spoil(response, fault);
  }

  const inProcess = toFetchHandler({ handle: deliver });
  const plain = toFetchHandler({ handle: (request) => gateway.handle(request) });
  const unseen = (request: Request) => plain(request, null);

  return {
    baseUrl,
    fetch: async (input, init) => inProcess(new Request(input, init), null),
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
    plantDevice: (plan = {}) => plantDevice(unseen, baseUrl, users, plan),
    releaseKey: signer.key,
    async plantRelease(plan) {
      const release = signer.sign(plan, new Date(clock.now()).toISOString());
      const { image } = plan;
      const published = await gateway.firmware.publish({ release, image, actor: "test" });
      if (published.isErr()) throw new Error(`Not published: ${JSON.stringify(published.error)}`);
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
      // What a process believes of a device, it believes for less than a second.
      clock.advance(1_000);
    },
    async vanish() {
      isGone = true;
      await Promise.all(servers.map((server) => server.vanish()));
    },
    async comeBack() {
      isGone = false;
      await Promise.all(servers.map((server) => server.comeBack()));
    },
    async restart() {
      gateway = await startGateway();
    },
    seen,
    seenOf: (route) => seen.filter((request) => request.route === route),
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
      await Promise.all(servers.map((server) => server.vanish()));
      await store.close();
    },
  };
}
