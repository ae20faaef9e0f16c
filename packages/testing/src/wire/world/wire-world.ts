import type { GatewayOptions } from "@device-gateway/core";
import {
  createGateway,
  createJwtAuthenticator,
  type Gateway,
  generateSecrets,
} from "@device-gateway/core";
import { Problem, type RouteName, routes } from "@device-gateway/core/contract";
import type { GatewayStore } from "@device-gateway/core/store";
import { createWebhookManager } from "@device-gateway/webhooks";
import { SignJWT } from "jose";
import { expect } from "vitest";
import { createFakeClock, type FakeClock } from "../../fixtures/fake-clock.js";
import { createSeededRandom } from "../../fixtures/seeded-random.js";
import { createWireFirmware } from "./wire-firmware.js";

/** A gateway behind any transport. */
export interface WireServer {
  /** Sends a request. `path` is relative to the gateway's mount path. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** Whether a client reads from the gateway without the buffers of a connection in between. Default: false. */
  readonly isInProcess?: boolean;
}

/** The transport and store that the suite runs over. */
export interface WireSetup {
  serve(gateway: Gateway): Promise<WireServer>;
  openStore(): Promise<{ store: GatewayStore; dispose(): Promise<void> }>;
  /** Options of every gateway, such as `onNode`. Default: none, so that the gateway uses no function of a runtime. */
  readonly options?: Partial<GatewayOptions>;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: cases read responses of every type
  readonly body: any;
}

export interface WireRequest {
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly basePath?: string;
  /** Path parameters by name. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export interface WireUser {
  readonly emailVerified?: boolean;
  readonly roles?: readonly string[];
}

/** A gateway with its store and clock, and the calls that a case needs. */
export interface WireWorld {
  readonly clock: FakeClock;
  readonly store: GatewayStore;
  readonly gateway: Gateway;
  readonly fetch: WireServer["fetch"];
  readonly isInProcess: boolean;
  /** Calls a route and checks that the contract declares the response. */
  call(name: RouteName, request?: WireRequest): Promise<WireReply>;
  /** Returns a bearer token for a user. */
  signIn(id: string, user?: WireUser): Promise<string>;
  /** Registers a device and returns its token and secret. */
  register(deviceId?: string): Promise<{ deviceId: string; token: string; deviceSecret: string }>;
}

export interface WireCase {
  readonly name: string;
  /** Options that differ from the defaults of `openWireWorld`. */
  readonly options?: Partial<GatewayOptions>;
  /** Whether the gateway manages webhooks of operators, or of owners too. Default: false. */
  readonly webhooks?: boolean | "owners";
  run(world: WireWorld): Promise<void>;
}

/** The issuer of user tokens. */
const issuer = { issuer: "https://accounts.test", audience: "gateway" };
const issuerSecret = "a secret of the wire suite's issuer";

/**
 * Returns a valid body of POST /device/register.
 *
 * @example
 * const body = { ...sampleRegistration("gw-2"), claimCode: "ABCD-EFGH" };
 */
export const sampleRegistration = (deviceId = "gw-1") => ({
  deviceId,
  hardwareId: "esp32:devkit-v1",
  firmwareVersion: "0.1.10",
  claimCode: "ABCD-EFGH",
});

async function checkAgainstContract(name: RouteName, response: Response): Promise<WireReply> {
  const route = routes[name];
  const { status, headers } = response;
  const ofStatus = route.responses.filter((candidate) => candidate.status === status);
  if (ofStatus.some((answer) => answer.kind === "bytes")) {
    expect(headers.get("content-type")).toBe("application/octet-stream");
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
  const text = await response.text();
  const type = headers.get("content-type");
  const isStreamed = ofStatus.some((answer) => answer.kind === "stream" && answer.type === type);
  if (isStreamed) return { status, headers, body: text };
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const declared = ofStatus[0];
  if (declared?.kind === "json") {
    expect(headers.get("content-type")).toBe("application/json");
    expect(declared.schema.safeParse(body).error).toBeUndefined();
  } else if (declared?.kind === "empty") {
    expect(text).toBe("");
  } else {
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(Problem.parse(body).status).toBe(status);
    expect(route.errors).toContain(Problem.parse(body).code);
  }
  return { status, headers, body };
}

/**
 * Opens a store and a gateway over the given transport.
 *
 * @example
 * const world = await openWireWorld({ serve: serveInProcess, openStore });
 * const { token } = await world.register();
 * await world.close();
 */
export async function openWireWorld(
  setup: WireSetup,
  options: Partial<GatewayOptions> = {},
  webhooks: WireCase["webhooks"] = false,
): Promise<WireWorld & { close(): Promise<void> }> {
  const { store, dispose } = await setup.openStore();
  const clock = createFakeClock();
  const secrets = generateSecrets(createSeededRandom());
  const forOwners = webhooks === "owners";
  const gateway = await createGateway({
    ...{ store, clock, secrets, ...setup.options },
    ...(webhooks !== false && {
      webhooks: createWebhookManager(store, { secrets, clock, forOwners }),
    }),
    scryptCost: { logN: 4, r: 8, p: 1 },
    customers: createJwtAuthenticator({ ...issuer, secret: issuerSecret, clock }),
    firmware: await createWireFirmware(),
    ...options,
  });
  const server = await setup.serve(gateway);

  const call: WireWorld["call"] = async (name, request = {}) => {
    const { body, raw, token, headers, basePath = "/api/v1", params = {}, query = {} } = request;
    const { method, scope } = routes[name];
    const path = routes[name].path.replaceAll(/:(\w+)/g, (_, parameter: string) =>
      encodeURIComponent(params[parameter] ?? ""),
    );
    const search = new URLSearchParams(query).toString();
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await server.fetch(
      (scope === "api" ? basePath : "") + path + (search && `?${search}`),
      {
        method,
        headers: {
          ...(sent !== undefined && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(sent !== undefined && { body: sent as BodyInit }),
      },
    );
    return checkAgainstContract(name, response);
  };

  return {
    clock,
    store,
    gateway,
    fetch: server.fetch,
    isInProcess: server.isInProcess ?? false,
    call,
    signIn: (id, { emailVerified = true, roles = [] } = {}) =>
      new SignJWT({ email_verified: emailVerified, roles })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(issuer.issuer)
        .setAudience(issuer.audience)
        .setSubject(id)
        .setExpirationTime(Math.floor(clock.now() / 1000) + 7 * 86_400)
        .sign(new TextEncoder().encode(issuerSecret)),
    async register(deviceId = "gw-1") {
      const { status, body } = await call("registerDevice", { body: sampleRegistration(deviceId) });
      expect(status).toBe(201);
      return body;
    },
    async close() {
      await server.close();
      await dispose();
    },
  };
}
