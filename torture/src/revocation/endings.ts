import { customer } from "../issuer.js";
import { need, needText, type WorldReply } from "../world.js";
import type { GatewayGroup } from "./gateway-group.js";

/** A device in use, with a token that will be invalidated. */
export interface DeviceInUse {
  readonly deviceId: string;
  readonly deviceSecret: string;
  readonly token: string;
}

/** An event that invalidates a device's tokens, at one of the gateways. */
export interface Ending {
  readonly name: string;
  endTokens(group: GatewayGroup, device: DeviceInUse, gateway: number): Promise<void>;
}

const claimCode = "ABCD-EFGH";
const profile = { hardwareId: "esp32:devkit-v1", firmwareVersion: "0.1.10" };
const post = (group: GatewayGroup, gateway: number, path: string, body: object, token?: string) =>
  group.send({ method: "POST", path, body, token }, gateway);
const ownerOf = ({ issuer }: GatewayGroup, deviceId: string) =>
  issuer.tokenOf(customer(`of-${deviceId}`));
const operator = ({ issuer }: GatewayGroup) =>
  issuer.tokenOf(customer("op", { roles: ["operator"] }));

export const useToken = (
  group: GatewayGroup,
  token: string,
  gateway: number,
): Promise<WorldReply> => group.send({ method: "GET", path: "/device/config", token }, gateway);

/** Asks a gateway for commands. The response waits until there is one, or until the token is invalid (§11). */
export const waitForCommands = (
  group: GatewayGroup,
  token: string,
  gateway: number,
): Promise<WorldReply> =>
  group.send({ method: "GET", path: "/device/commands", query: { wait: "45" }, token }, gateway);

/** Registers a device at the first gateway, claims it at the last and uses its token at all of them. */
export async function startDevice(group: GatewayGroup, deviceId: string): Promise<DeviceInUse> {
  const reply = need(
    await post(group, 0, "/device/register", { ...profile, deviceId, claimCode }),
    201,
  );
  const token = needText(reply, "token");
  const last = group.size - 1;
  const owner = await ownerOf(group, deviceId);
  need(await post(group, last, "/user/devices/claim", { deviceId, claimCode }, owner), 200);
  for (let gateway = 0; gateway < group.size; gateway++) {
    need(await useToken(group, token, gateway), 200);
  }
  return { deviceId, deviceSecret: needText(reply, "deviceSecret"), token };
}

async function operate(group: GatewayGroup, method: string, path: string, gateway: number) {
  const token = await operator(group);
  const url = `/operator/devices/${path}`;
  need(await group.send({ method, path: url, token }, gateway), 200, 204);
}

export const endings: readonly Ending[] = [
  {
    name: "its secret is rotated, and the new one used",
    async endTokens(group, { deviceId, deviceSecret }, gateway) {
      const again = { ...profile, deviceId, claimCode, deviceSecret };
      const reply = need(await post(group, gateway, "/device/register", again), 200);
      need(await useToken(group, needText(reply, "token"), gateway), 200);
    },
  },
  {
    name: "it is released",
    async endTokens(group, { deviceId }, gateway) {
      const token = await ownerOf(group, deviceId);
      const path = `/user/devices/${deviceId}/claim`;
      need(await group.send({ method: "DELETE", path, token }, gateway), 204);
    },
  },
  {
    name: "it is revoked",
    endTokens: (group, { deviceId }, gateway) =>
      operate(group, "POST", `${deviceId}/revoke`, gateway),
  },
  {
    name: "it is revoked and reinstated",
    async endTokens(group, { deviceId }, gateway) {
      await operate(group, "POST", `${deviceId}/revoke`, gateway);
      await operate(group, "POST", `${deviceId}/reinstate`, (gateway + 1) % group.size);
    },
  },
  {
    name: "it is erased",
    endTokens: (group, { deviceId }, gateway) => operate(group, "DELETE", deviceId, gateway),
  },
];
