import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { createImage } from "../../../packages/device-client/src/testing/simulated-device.js";
import type { AttackOptions } from "../attack.js";
import type { Dice } from "../dice.js";
import { customer } from "../issuer.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type WorldReply } from "../world.js";
import { type SignedRelease, signRelease, trusted } from "./keys.js";

export const deviceTarget = "esp32dev";
export const otherTarget = "esp32c3";
/** The version that the device runs. */
export const running = "1.1.0";

export interface Genuine {
  readonly release: SignedRelease;
  readonly image: Uint8Array<ArrayBuffer>;
}

/** A gateway with genuine releases, and one device that may install the newest. */
export interface ReleaseWorld {
  readonly genuine: {
    readonly old: Genuine;
    readonly current: Genuine;
    readonly newest: Genuine;
    /** For other hardware, and newer than all others. */
    readonly foreign: Genuine;
  };
  /** Creates a genuine release without publishing it. */
  make(version: string, targetHardware?: string): Genuine;
  create(body: object): Promise<WorldReply>;
  upload(id: number, image: Uint8Array): Promise<WorldReply>;
  change(id: number, body: object): Promise<WorldReply>;
  /** Publishes a genuine release. Returns its id. */
  publish(genuine: Genuine): Promise<number>;
  /** Returns the version that the device is offered, or null. */
  offered(currentVersion?: string): Promise<string | null>;
  download(id: number): Promise<WorldReply>;
  close(): Promise<void>;
}

const releases = "/operator/firmware/releases";

export function readId({ body }: WorldReply): number {
  return (JSON.parse(body) as { release: { id: number } }).release.id;
}

export async function openReleaseWorld(
  { store, seed, plants }: AttackOptions,
  dice: Dice,
): Promise<ReleaseWorld> {
  const storage = await createStorage(store);
  const keys = trusted.map(({ id, pem }) => ({ id, publicKey: pem }));
  const world = await openWorld({
    storage,
    seed,
    plants,
    options: {
      firmware: { keys, artifacts: createMemoryArtifactStore() },
      publicUrl: "https://gateway.test",
    },
  });
  const operator = customer("operator", { roles: ["operator"] });
  const token = await world.issuer.tokenOf(operator);
  const registration = {
    deviceId: "gw-1",
    hardwareId: deviceTarget,
    firmwareVersion: running,
    claimCode: "ABCD-EFGH",
  };
  const registered = await world.send({
    method: "POST",
    path: "/device/register",
    body: registration,
  });
  const deviceToken = needText(need(registered, 201), "token");

  const make = (version: string, targetHardware = deviceTarget): Genuine => {
    const image = createImage(version, { size: 500 + dice.int(4_000), seed: dice.int(2 ** 31) });
    const releasedAt = new Date(dice.int(2 ** 31) * 1000).toISOString().replace(".000", "");
    return {
      image,
      release: signRelease(dice.pick(trusted), image, { version, targetHardware, releasedAt }),
    };
  };
  const create = (body: object) => world.send({ method: "POST", path: releases, token, body });
  const upload = (id: number, image: Uint8Array) =>
    world.send({ method: "PUT", path: `${releases}/${id}/image`, token, body: image });
  const change = (id: number, body: object) =>
    world.send({ method: "PATCH", path: `${releases}/${id}`, token, body });
  const publish = async ({ release, image }: Genuine) => {
    const id = readId(need(await create(release), 201));
    need(await upload(id, image), 200);
    need(await change(id, { status: "active" }), 200);
    return id;
  };

  const genuine = {
    old: make("1.0.0"),
    current: make(running),
    newest: make("1.2.0"),
    foreign: make("1.3.0", otherTarget),
  };
  for (const one of Object.values(genuine)) await publish(one);
  return {
    genuine,
    make,
    create,
    upload,
    change,
    publish,
    async offered(currentVersion = running) {
      const query = { currentVersion };
      const path = "/ota/latest";
      const reply = await world.send({ method: "GET", path, query, token: deviceToken });
      const offer = JSON.parse(need(reply, 200).body) as {
        updateAvailable: boolean;
        version: string;
      };
      return offer.updateAvailable ? offer.version : null;
    },
    download: (id) =>
      world.send({ method: "GET", path: `/ota/firmware/${id}`, token: deviceToken }),
    async close() {
      await world.close();
      await storage.remove();
    },
  };
}
