import { setTimeout as wait } from "node:timers/promises";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import type { Door, Role } from "./doors.js";

/** What an attacker is known by. */
export interface Identity {
  /** The device that it owns, is, or asks about. */
  readonly deviceId: string;
  /** Number of the network that its addresses are in. */
  readonly network: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The token of the device, where there is one. */
  readonly deviceToken: string;
}

const claimCode = "ABCD-EFGH";
const hardwareId = "esp32:devkit-v1";

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

const tries = 20;

/** Sends what a scene is made of, again where the server is busy. */
async function ask(
  url: string,
  path: string,
  { address, token, body }: { address: string; token?: string; body: unknown },
): Promise<Reply> {
  for (let n = 1; ; n++) {
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: url,
        "x-forwarded-for": address,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) {
      return {
        status: response.status,
        body: text.startsWith("{") ? (JSON.parse(text) as Reply["body"]) : {},
        headers: response.headers,
      };
    }
    if (n === tries || response.status < 500) {
      throw new Error(`POST ${path} got ${response.status}: ${text}`);
    }
    await wait(200);
  }
}

/** A registered device, with its secret and a token. */
export interface RegisteredDevice {
  readonly deviceId: string;
  readonly deviceSecret: string;
  readonly token: string;
}

export async function registerDevice(
  url: string,
  deviceId: string,
  address: string,
): Promise<RegisteredDevice> {
  const body = { deviceId, hardwareId, firmwareVersion: "0.1.10", claimCode };
  const reply = await ask(url, "/api/v1/device/register", { address, body });
  const { deviceSecret, token } = reply.body;
  return { deviceId, deviceSecret: String(deviceSecret), token: String(token) };
}

export async function claimDevice(
  url: string,
  deviceId: string,
  customer: string,
  address: string,
): Promise<void> {
  const token = await signCustomer(customer);
  await ask(url, "/api/v1/user/devices/claim", { address, token, body: { deviceId, claimCode } });
}

/** Signs somebody up; gives the cookie of the session. */
async function signUp(url: string, name: string, address: string): Promise<string> {
  const body = { email: `${name}@example.com`, password: "correct horse battery", name };
  const { headers } = await ask(url, "/api/auth/sign-up/email", { address, body });
  return headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
}

/** Somebody whom the server has never seen before, with all that the role has. */
export async function createIdentity(
  url: string,
  network: number,
  { door, role }: { readonly door: Door; readonly role: Role },
): Promise<Identity> {
  const address = `2001:db8:${network.toString(16)}::1`;
  const deviceId = `attacker-${network}`;
  const customer = `attacker-customer-${network}`;
  const known = (headers: Record<string, string>, deviceToken = ""): Identity => ({
    ...{ deviceId, network, deviceToken },
    headers: { "x-forwarded-for": address, ...headers },
  });
  if (door.kind === "accounts") {
    const origin = { origin: url };
    if (role !== "customer") return known(origin);
    return known({ ...origin, cookie: await signUp(url, customer, address) });
  }
  const { token } = await registerDevice(url, deviceId, address);
  if (role === "nobody") return known(door.open ? {} : { authorization: "Bearer forged" });
  if (role === "unclaimed device") return known({ authorization: `Bearer ${token}` });
  await claimDevice(url, deviceId, customer, address);
  const bearer = role === "customer" ? await signCustomer(customer) : token;
  return known({ authorization: `Bearer ${bearer}` }, token);
}

/** Sends records of a device, as large as a request takes them, so that reading them all is dear. */
export async function fillHistory(
  url: string,
  { deviceToken: token, headers }: Identity,
  count: number,
): Promise<void> {
  const address = headers["x-forwarded-for"] ?? "";
  for (let from = 0; from < count; from += 500) {
    const records = Array.from({ length: Math.min(500, count - from) }, (_, n) => ({
      ...Object.fromEntries(Array.from({ length: 10 }, (__, m) => [`m${m}`, from + n + m / 8])),
      note: "x".repeat(300),
    }));
    await ask(url, "/api/v1/telemetry", { address, token, body: { records } });
  }
}
