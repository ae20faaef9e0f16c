import { createFakeClock } from "@device-gateway/testing";
import type { Dice } from "../dice.js";
import { createIssuer, customer } from "../issuer.js";
import { need, needText, type WorldReply, type WorldRequest } from "../world.js";

export type Kind = "closed" | "open" | "legacy" | "unknown";

/** A device that is guessed at, with those who have a right to it. */
export interface House {
  readonly deviceId: string;
  /** Claimed and released all the time; never claimed; without a code; not there at all. */
  readonly kind: Kind;
  readonly code: string;
  deviceSecret: string;
  readonly ownerId: string;
  readonly ownAddress: string;
}

export interface TownSize {
  readonly accounts: number;
  readonly addresses: number;
  readonly houses: number;
}

/** Who guesses, from where, and at what. */
export interface Town {
  readonly houses: readonly House[];
  readonly accounts: readonly string[];
  readonly addresses: readonly string[];
  tokenOf(account: string): Promise<string>;
}

export const hardwareId = "esp32:devkit-v1";
const kinds: readonly Kind[] = ["closed", "open", "closed", "unknown", "open", "legacy"];

export function registration({ deviceId, code, kind }: House): object {
  return kind === "legacy"
    ? { deviceId, hardwareId, firmwareVersion: "0.1.2" }
    : { deviceId, hardwareId, firmwareVersion: "0.1.10", claimCode: code };
}

/** Builds a town and registers what there is of it. */
export async function buildTown(
  { accounts, addresses, houses }: TownSize,
  dice: Dice,
  send: (request: WorldRequest) => Promise<WorldReply>,
): Promise<Town> {
  const issuer = createIssuer(createFakeClock());
  const built: House[] = [];
  for (let n = 0; n < houses; n++) {
    const house: House = {
      deviceId: `gw-${n}`,
      kind: kinds[n % kinds.length] as Kind,
      code: dice.code(8),
      deviceSecret: "",
      ownerId: `owner-${n}`,
      ownAddress: `203.0.113.${n % 250}`,
    };
    if (house.kind !== "unknown") {
      const request = { method: "POST", path: "/device/register", body: registration(house) };
      const address = `192.0.2.${n % 250}`;
      house.deviceSecret = needText(need(await send({ ...request, address }), 201), "deviceSecret");
      const { deviceId, deviceSecret } = house;
      const login = { method: "POST", path: "/device/login", body: { deviceId, deviceSecret } };
      need(await send({ ...login, address }), 200);
    }
    built.push(house);
  }
  return {
    houses: built,
    accounts: Array.from({ length: accounts }, (_, n) => `guesser-${n}`),
    addresses: Array.from(
      { length: addresses },
      (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    ),
    tokenOf: (account) => issuer.tokenOf(customer(account)),
  };
}
