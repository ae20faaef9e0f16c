import { customer } from "../issuer.js";
import { need, needText, type WorldReply } from "../world.js";
import type { Front } from "./front.js";

/** A device in use, and the token of it that is about to die. */
export interface Life {
  readonly deviceId: string;
  readonly deviceSecret: string;
  readonly token: string;
}

/** What ends tokens, up to the answer of the request that does it, at one of the gateways. */
export interface Fate {
  readonly name: string;
  end(front: Front, life: Life, gateway: number): Promise<void>;
}

const claimCode = "ABCD-EFGH";
const profile = { hardwareId: "esp32:devkit-v1", firmwareVersion: "0.1.10" };
const post = (front: Front, gateway: number, path: string, body: object, token?: string) =>
  front.send({ method: "POST", path, body, token }, gateway);
const ownerOf = ({ issuer }: Front, deviceId: string) => issuer.tokenOf(customer(`of-${deviceId}`));
const operator = ({ issuer }: Front) => issuer.tokenOf(customer("op", { roles: ["operator"] }));

export const useToken = (front: Front, token: string, gateway: number): Promise<WorldReply> =>
  front.send({ method: "GET", path: "/device/config", token }, gateway);

/** Registers a device at one gateway, has it claimed at the next, and used at all of them. */
export async function beginLife(front: Front, deviceId: string): Promise<Life> {
  const reply = need(
    await post(front, 0, "/device/register", { ...profile, deviceId, claimCode }),
    201,
  );
  const token = needText(reply, "token");
  const last = front.size - 1;
  const owner = await ownerOf(front, deviceId);
  need(await post(front, last, "/user/devices/claim", { deviceId, claimCode }, owner), 200);
  for (let gateway = 0; gateway < front.size; gateway++) {
    need(await useToken(front, token, gateway), 200);
  }
  return { deviceId, deviceSecret: needText(reply, "deviceSecret"), token };
}

async function operate(front: Front, method: string, path: string, gateway: number) {
  const token = await operator(front);
  const url = `/operator/devices/${path}`;
  need(await front.send({ method, path: url, token }, gateway), 200, 204);
}

export const fates: readonly Fate[] = [
  {
    name: "its secret is rotated, and the new one used",
    async end(front, { deviceId, deviceSecret }, gateway) {
      const again = { ...profile, deviceId, claimCode, deviceSecret };
      const reply = need(await post(front, gateway, "/device/register", again), 200);
      need(await useToken(front, needText(reply, "token"), gateway), 200);
    },
  },
  {
    name: "it is released",
    async end(front, { deviceId }, gateway) {
      const token = await ownerOf(front, deviceId);
      const path = `/user/devices/${deviceId}/claim`;
      need(await front.send({ method: "DELETE", path, token }, gateway), 204);
    },
  },
  {
    name: "it is revoked",
    end: (front, { deviceId }, gateway) => operate(front, "POST", `${deviceId}/revoke`, gateway),
  },
  {
    name: "it is revoked and reinstated",
    async end(front, { deviceId }, gateway) {
      await operate(front, "POST", `${deviceId}/revoke`, gateway);
      await operate(front, "POST", `${deviceId}/reinstate`, (gateway + 1) % front.size);
    },
  },
  {
    name: "it is erased",
    end: (front, { deviceId }, gateway) => operate(front, "DELETE", deviceId, gateway),
  },
];
