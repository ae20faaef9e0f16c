import { setTimeout as wait } from "node:timers/promises";
import { signCustomer } from "../../../../examples/server/src/testing/customer.js";
import type { Endpoint, Role } from "./endpoints.js";

/** An attacker's credentials and addresses. */
export interface Identity {
  /** The device that the attacker owns, impersonates or asks about. */
  readonly deviceId: string;
  /** Number of the network that contains its addresses. */
  readonly network: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The device's token, or an empty text. */
  readonly deviceToken: string;
}

const claimCode = "ABCD-EFGH";
export const hardwareId = "esp32:devkit-v1";

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

const tries = 20;

/** Sends a setup request. Retries on a 5xx. */
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

/** Creates an account. Returns its session cookie. */
async function signUp(url: string, name: string, address: string): Promise<string> {
  const body = { email: `${name}@example.com`, password: "correct horse battery", name };
  const { headers } = await ask(url, "/api/auth/sign-up/email", { address, body });
  return headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
}

/** Creates a new attacker identity with what its role needs: an account, a device, a claim. */
export async function createIdentity(
  url: string,
  network: number,
  { endpoint, role }: { readonly endpoint: Endpoint; readonly role: Role },
): Promise<Identity> {
  const address = `2001:db8:${network.toString(16)}::1`;
  const deviceId = `attacker-${network}`;
  const customer = `attacker-customer-${network}`;
  const known = (headers: Record<string, string>, deviceToken = ""): Identity => ({
    ...{ deviceId, network, deviceToken },
    headers: { "x-forwarded-for": address, ...headers },
  });
  if (endpoint.kind === "accounts") {
    const origin = { origin: url };
    if (role !== "customer") return known(origin);
    return known({ ...origin, cookie: await signUp(url, customer, address) });
  }
  const { token } = await registerDevice(url, deviceId, address);
  if (role === "nobody") return known(endpoint.open ? {} : { authorization: "Bearer forged" });
  if (role === "unclaimed device") return known({ authorization: `Bearer ${token}` });
  await claimDevice(url, deviceId, customer, address);
  const bearer = role === "customer" ? await signCustomer(customer) : token;
  return known({ authorization: `Bearer ${bearer}` }, token);
}

/** Stores large records of a device, so that reading them is expensive. */
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
