import type { GatewayOptions } from "@device-gateway/core";
import type { AttackOptions } from "../attack.js";
import type { Dice } from "../dice.js";
import { customer } from "../issuer.js";
import type { Storage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldRequest } from "../world.js";

/** Devices for each reason of a refusal. All ids have the same length, also those of unknown devices. */
export interface Scene {
  readonly world: World;
  /** Returns the token of a new customer, so that no budget refuses the request before the check. */
  nextCustomer(): Promise<string>;
  /** Creates a login of each class. All get 401. */
  readonly logins: Readonly<Record<string, () => WorldRequest>>;
  /** Creates a claim of each class. The caller adds the token. All get 401. */
  readonly claims: Readonly<Record<string, () => WorldRequest>>;
  /** Creates a repeated registration of each class that a correct code would allow. All get 409. */
  readonly registrations: Readonly<Record<string, () => WorldRequest>>;
  /** Creates a repeated registration of each class that no code would allow. All get 409. */
  readonly hopeless: Readonly<Record<string, () => WorldRequest>>;
}

/** High limits, so that no budget or throttle refuses a request before the check. */
const limits = {
  authPerMinute: 1_000_000,
  claimTriesPerDevice: 100_000,
  registerTriesPerDevice: 100_000,
  fleetFailuresPerHour: 100_000,
};

/** The timed options: scrypt at the gateway's default cost, which OWASP recommends. */
export const productionOptions: Partial<GatewayOptions> = {
  freshCodeAfterRelease: true,
  randomClaimCodes: true,
  limits,
  scryptCost: { logN: 15, r: 8, p: 3 },
};

const hardwareId = "h:1";
const hardwareFingerprint = "fp:1";

const each = 8;
/** Every second device has a code that is long enough to be stored as a keyed hash. The others get the slow hash. */
const codeOf = (n: number) => `CODE${1000 + n}${n % 2 === 0 ? "" : "9F3K7Q2M5T8W"}`;

export async function setScene(
  storage: Storage,
  { seed, plants }: AttackOptions,
  dice: Dice,
  options: Partial<GatewayOptions> = {},
): Promise<Scene> {
  const world = await openWorld({
    storage,
    seed,
    plants,
    options: { freshCodeAfterRelease: true, randomClaimCodes: true, limits, ...options },
  });
  const { send, issuer } = world;
  const operator = await issuer.tokenOf(customer("op-1", { roles: ["operator"] }));
  const owner = await issuer.tokenOf(customer("owner-1"));
  const secrets = new Map<string, string>();
  const ids = (kind: string) => Array.from({ length: each }, (_, n) => `${kind}-${1000 + n}`);
  const register = async (kind: string, legacy = false) => {
    for (const [n, deviceId] of ids(kind).entries()) {
      const proof = legacy
        ? { firmwareVersion: "0.1.2" }
        : { firmwareVersion: "0.1.10", claimCode: codeOf(n) };
      const body = { deviceId, hardwareId, hardwareFingerprint, ...proof };
      const reply = need(await send({ method: "POST", path: "/device/register", body }), 201);
      secrets.set(deviceId, needText(reply, "deviceSecret"));
    }
  };
  await register("present");
  await register("revoked");
  await register("spent-c");
  await register("owned--");
  await register("legacy-", true);
  for (const deviceId of ids("revoked")) {
    const path = `/operator/devices/${deviceId}/revoke`;
    need(await send({ method: "POST", path, token: operator }), 200);
  }
  for (const [n, deviceId] of ids("spent-c").entries()) {
    const body = { deviceId, claimCode: codeOf(n) };
    need(await send({ method: "POST", path: "/user/devices/claim", token: owner, body }), 200);
    const path = `/user/devices/${deviceId}/claim`;
    need(await send({ method: "DELETE", path, token: owner }), 204);
  }

  for (const [n, deviceId] of ids("owned--").entries()) {
    const body = { deviceId, claimCode: codeOf(n) };
    need(await send({ method: "POST", path: "/user/devices/claim", token: owner, body }), 200);
  }

  let customers = 0;
  let addresses = 0;
  const login = (kind: string, secretOf: (deviceId: string) => string) => () => {
    const deviceId = dice.pick(ids(kind));
    const body = { deviceId, deviceSecret: secretOf(deviceId) };
    return { method: "POST", path: "/device/login", body };
  };
  const claim = (kind: string, proofOf: (n: number) => object) => () => {
    const n = dice.int(each);
    const body = { deviceId: `${kind}-${1000 + n}`, ...proofOf(n) };
    return { method: "POST", path: "/user/devices/claim", body };
  };
  const again = (kind: string, changesOf: (n: number) => object) => () => {
    const n = dice.int(each);
    const device = { deviceId: `${kind}-${1000 + n}`, hardwareId, hardwareFingerprint };
    const body = { ...device, firmwareVersion: "0.1.10", claimCode: codeOf(n), ...changesOf(n) };
    // A new address, so that no budget refuses the request before the check.
    const address = `2001:db8:${(addresses++).toString(16)}::1`;
    return { method: "POST", path: "/device/register", body, address };
  };
  const wrong = () => dice.code(43);
  const wrongCode = () => ({ claimCode: dice.code(dice.int(2) === 0 ? 8 : 20) });
  return {
    world,
    nextCustomer: () => issuer.tokenOf(customer(`guesser-${customers++}`)),
    logins: {
      "unknown device": login("unknown", wrong),
      "wrong secret": login("present", wrong),
      "revoked device, right secret": login("revoked", (id) => secrets.get(id) ?? ""),
    },
    claims: {
      "unknown device": claim("unknown", wrongCode),
      "wrong code": claim("present", wrongCode),
      "malformed code": claim("present", () => ({ claimCode: `${dice.code(6)}/!` })),
      "revoked device, right code": claim("revoked", (n) => ({ claimCode: codeOf(n) })),
      "spent code": claim("spent-c", (n) => ({ claimCode: codeOf(n) })),
      "legacy device, wrong secret": claim("legacy-", () => ({ deviceSecret: wrong() })),
    },
    registrations: {
      "wrong code": again("present", wrongCode),
      "wrong code, other hardware": again("present", () => ({ ...wrongCode(), hardwareId: "h:2" })),
      "wrong code, other fingerprint": again("present", () => ({
        ...wrongCode(),
        hardwareFingerprint: "fp:2",
      })),
      "right code, other hardware": again("present", () => ({ hardwareId: "h:2" })),
      "right code, other fingerprint": again("present", () => ({ hardwareFingerprint: "fp:2" })),
      "spent code": again("spent-c", () => ({})),
    },
    hopeless: {
      "owned device, wrong code": again("owned--", wrongCode),
      "owned device, right code": again("owned--", () => ({})),
      "owned device, other hardware": again("owned--", () => ({ hardwareId: "h:2" })),
      "revoked device, right code": again("revoked", () => ({})),
      "revoked device, other hardware": again("revoked", () => ({ hardwareId: "h:2" })),
    },
  };
}
