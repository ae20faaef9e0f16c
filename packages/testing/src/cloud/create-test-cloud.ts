import {
  type GatewayRequest,
  type GatewayResponse,
  operator,
  publishRelease,
  toFetchHandler,
} from "@device-gateway/core";
import { auditKinds } from "@device-gateway/core/store";
import { createReleaseSigner } from "../fixtures/release-signer.js";
import { signRelease } from "../fixtures/sign-release.js";
import { withContentLength } from "../fixtures/with-content-length.js";
import { addDevice } from "./add-device.js";
import { answerInstead } from "./answer-instead.js";
import { applyFault } from "./apply-fault.js";
import { type CertificateKind, createCloudCertificates } from "./cloud-certificates.js";
import { type CloudServer, openCloudServer } from "./cloud-server.js";
import { createCloudWorld } from "./cloud-world.js";
import { ConnectionBrokenError, type Fault } from "./fault.js";
import { handleTwice } from "./handle-twice.js";
import { type CloudRequest, createRequestRecorder } from "./recorded-request.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

const page = 500;
const baseUrl = "http://cloud.test";
/** A bench that runs for days keeps this many requests. */
const maxRequests = 10_000;
const unknown = { clientAddress: () => null };

/** Reads every page of a list. A page of large items is shorter than others, and only the last one is empty. */
async function readAll<Item>(
  read: (after: number) => Promise<readonly Item[]>,
  positionOf: (item: Item) => number,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (;;) {
    const last = all.at(-1);
    const items = await read(last === undefined ? 0 : positionOf(last));
    all.push(...items);
    if (items.length === 0) return all;
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
  const signer = await createReleaseSigner();
  const releaseKey = { id: signer.key.id, pem: signer.key.publicKey };
  const servers: CloudServer[] = [];
  let world = createCloudWorld(options, releaseKey);
  // Download URLs begin with it. In process, any origin works.
  let publicUrl = baseUrl;
  let gateway = await world.startGateway(publicUrl);
  let isOffline = false;
  let certificates: ReturnType<typeof createCloudCertificates> | undefined;
  let certificateKind: CertificateKind = "valid";

  const getCertificates = () => {
    certificates ??= createCloudCertificates();
    return certificates;
  };

  /** Every read of the cloud waits for maintenance that is due, as every request does. */
  const maintain = async () => {
    await world.maintain.run(gateway);
  };

  async function deliver(request: CloudRequest): Promise<GatewayResponse> {
    // Without maintenance there is no await, so a request is recorded as soon as it is sent.
    const maintenance = world.maintain.run(gateway);
    if (maintenance !== null) await maintenance;
    const { clock, faults, requests } = world;
    const route = world.routeOf(request);
    const fault: Fault | null = isOffline ? { kind: "unreachable" } : faults.next(route);
    const recorder = createRequestRecorder(request, clock.now());
    const record = (status: number | null) => {
      requests.push(recorder.record({ route, status, fault }));
      if (requests.length > maxRequests) requests.shift();
    };
    if (fault?.kind === "unreachable") {
      record(null);
      throw new ConnectionBrokenError("The test cloud is unreachable.");
    }
    const instead = answerInstead(fault);
    if (instead !== null) {
      record(instead.status);
      return instead;
    }
    if (fault?.kind === "duplicated") {
      const both = await handleTwice((repeated) => gateway.handle(repeated), recorder.request);
      for (const { status } of both) record(status);
      return both[0];
    }
    const response = await gateway.handle(recorder.request);
    record(response.status);
    return fault === null ? response : applyFault(response, fault, clock.now());
  }

  const service = {
    handle: deliver,
    certificateFor: (host: string) => getCertificates().issue(certificateKind, host),
  };
  async function handlePlainly(request: GatewayRequest): Promise<GatewayResponse> {
    await maintain();
    return gateway.handle(request);
  }
  const plain = toFetchHandler({ handle: handlePlainly }, unknown);
  const startGateway = async () => {
    // Otherwise requests that wait for commands would stay on the former gateway.
    gateway.endLiveStreams();
    gateway = await world.startGateway(publicUrl);
  };
  const goOnline = async () => {
    isOffline = false;
    await Promise.all(servers.map((server) => server.goOnline()));
  };
  const presentCertificate = (kind: CertificateKind) => {
    certificateKind = kind;
    for (const server of servers) server.presentCertificate();
  };

  return {
    baseUrl,
    async fetch(input, init) {
      const request = withContentLength(input, init);
      const headers = Object.fromEntries(request.headers);
      const handle = (plain: GatewayRequest) => deliver({ ...plain, headers });
      return toFetchHandler({ handle }, unknown)(request);
    },
    async listen(address = {}) {
      const server = await openCloudServer(service, address);
      servers.push(server);
      publicUrl = server.url;
      await startGateway();
      return server.url;
    },
    get clock() {
      return world.clock;
    },
    async sleep(ms) {
      world.clock.advance(ms);
      await maintain();
    },
    addDevice: (plan = {}) => addDevice((request) => plain(request), baseUrl, world.users, plan),
    releaseKey,
    async addRelease({ image, ...plan }) {
      await maintain();
      const releasedAt = new Date(world.clock.now()).toISOString();
      const release = await signRelease(signer, { ...plan, releasedAt }, image);
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
    async sendCommand(deviceId, name, payload = {}) {
      await maintain();
      const body = { name, payload: { ...payload } };
      const sent = await gateway.as(operator({ id: "test" })).sendCommand({
        ...{ params: { deviceId }, body },
      });
      if (sent.isErr())
        throw new Error(`The gateway did not send the command: ${JSON.stringify(sent.error)}`);
      return sent.value.body.command.commandId;
    },
    async readCommand(deviceId, commandId) {
      await maintain();
      const params = { deviceId, commandId };
      const read = await gateway.as(operator({ id: "test" })).readCommand({ params });
      if (read.isErr())
        throw new Error(`The gateway has no such command: ${JSON.stringify(read.error)}`);
      return read.value.body.command;
    },
    signIn: (id, user) => world.users.signIn(id, user),
    fail: (route, fault, times) => world.faults.plan(route, fault, times),
    clearFaults: () => world.faults.clear(),
    get tlsAuthority() {
      return getCertificates().authority;
    },
    presentCertificate,
    expireTokens() {
      const ms = world.tokenTtlSeconds * 1000 + 1;
      world.clock.advance(ms);
      world.maintain.skip(ms);
    },
    async revoke(deviceId) {
      await maintain();
      const revoked = await gateway
        .as(operator({ id: "test" }))
        .revokeDevice({ params: { deviceId } });
      if (revoked.isErr())
        throw new Error(`The gateway did not revoke the device: ${JSON.stringify(revoked.error)}`);
    },
    get isOffline() {
      return isOffline;
    },
    async goOffline() {
      isOffline = true;
      await Promise.all(servers.map((server) => server.goOffline()));
    },
    goOnline,
    restart: startGateway,
    async reset(changed = options) {
      if (options.gateway?.store !== undefined)
        throw new Error("reset: the cloud's store is yours. Create a new cloud over an empty one.");
      const next = createCloudWorld(changed, releaseKey);
      // If the gateway refuses an option, the former cloud goes on.
      const started = await next.startGateway(publicUrl);
      const { store } = world;
      gateway.endLiveStreams();
      world = next;
      gateway = started;
      presentCertificate("valid");
      await goOnline();
      await store.close();
    },
    get requests() {
      return world.requests;
    },
    requestsTo: (route) => world.requests.filter((request) => request.route === route),
    async records(deviceId) {
      await maintain();
      const read = (after: number) => world.store.telemetry.read({ deviceId, after, limit: page });
      const records = await readAll(read, ({ position }) => position);
      return records.map(({ value }) => value);
    },
    async auditTrail() {
      await maintain();
      return readAll(
        (after) => world.store.securityEvents.list({ after, limit: page, kinds: auditKinds }),
        ({ id }) => id,
      );
    },
    get store() {
      return world.store;
    },
    get gateway() {
      return gateway;
    },
    async close() {
      gateway.endLiveStreams();
      await Promise.all(servers.map((server) => server.goOffline()));
      await world.store.close();
    },
  };
}
