import { createFakeClock } from "@device-gateway/testing";
import type { Dice } from "../dice.js";
import { createIssuer, customer } from "../issuer.js";
import { need, needText, type WorldReply, type WorldRequest } from "../world.js";

export type Kind = "closed" | "open" | "legacy" | "unknown";

/** A device whose code others guess, with its owner. */
export interface Target {
  readonly deviceId: string;
  /**
   * `closed`: repeatedly claimed and released. `open`: never claimed. `legacy`: without a code.
   * `unknown`: not registered.
   */
  readonly kind: Kind;
  readonly code: string;
  deviceSecret: string;
  readonly ownerId: string;
  readonly ownAddress: string;
}

export interface SceneSize {
  readonly accounts: number;
  readonly addresses: number;
  readonly targets: number;
}

/** The guessing accounts and addresses, and the devices. */
export interface Scene {
  readonly targets: readonly Target[];
  readonly accounts: readonly string[];
  readonly addresses: readonly string[];
  tokenOf(account: string): Promise<string>;
}

export const hardwareId = "esp32:devkit-v1";
const kinds: readonly Kind[] = ["closed", "open", "closed", "unknown", "open", "legacy"];

export function registration({ deviceId, code, kind }: Target): object {
  return kind === "legacy"
    ? { deviceId, hardwareId, firmwareVersion: "0.1.2" }
    : { deviceId, hardwareId, firmwareVersion: "0.1.10", claimCode: code };
}

/** Builds a scene and registers its devices. */
export async function buildScene(
  { accounts, addresses, targets }: SceneSize,
  dice: Dice,
  send: (request: WorldRequest) => Promise<WorldReply>,
): Promise<Scene> {
  const issuer = createIssuer(createFakeClock());
  const created: Target[] = [];
  for (let n = 0; n < targets; n++) {
    const target: Target = {
      deviceId: `gw-${n}`,
      kind: kinds[n % kinds.length] as Kind,
      code: dice.code(8),
      deviceSecret: "",
      ownerId: `owner-${n}`,
      ownAddress: `203.0.113.${n % 250}`,
    };
    if (target.kind !== "unknown") {
      const request = { method: "POST", path: "/device/register", body: registration(target) };
      const address = `192.0.2.${n % 250}`;
      target.deviceSecret = needText(
        need(await send({ ...request, address }), 201),
        "deviceSecret",
      );
      const { deviceId, deviceSecret } = target;
      const login = { method: "POST", path: "/device/login", body: { deviceId, deviceSecret } };
      need(await send({ ...login, address }), 200);
    }
    created.push(target);
  }
  return {
    targets: created,
    accounts: Array.from({ length: accounts }, (_, n) => `guesser-${n}`),
    addresses: Array.from(
      { length: addresses },
      (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    ),
    tokenOf: (account) => issuer.tokenOf(customer(account)),
  };
}
