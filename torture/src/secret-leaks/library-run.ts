import { generateKeyPairSync } from "node:crypto";
import { createGateway, generateSecrets } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { createSeededRandom } from "@device-gateway/testing";
import { createWebhookManager } from "@device-gateway/webhooks";
import type { AttackOptions } from "../attack.js";
import { sendInProcess } from "../faulty-store/send-in-process.js";
import { withFault } from "../fuzz/faults.js";
import { openFuzzWorld } from "../fuzz/fuzz-world.js";
import { cases } from "../fuzz/provocations.js";
import { createStorage, type Storage } from "../storage.js";
import { type Collected, collecting, collectSecrets, createKeptLog } from "./collect.js";
import { dump } from "./dump.js";
import type { Place } from "./find-secrets.js";

export interface Run {
  readonly places: readonly Place[];
  readonly collected: Collected;
  /** Texts that the places must contain, to prove that the search looks at the right places. */
  readonly markers: readonly string[];
  readonly requests: number;
  /** Other violations. */
  readonly broken: readonly string[];
}

const publicParts = new Set(["kid", "alg", "kty", "crv", "x", "y", "use"]);

/** Collects every text of a gateway's secrets that is not public. */
function addAll(collected: Collected, what: string, value: unknown): void {
  if (typeof value === "string") collected.add(what, value);
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!publicParts.has(name)) addAll(collected, what, inner);
  }
}

/** Tries invalid options. The errors must not quote secrets. */
async function tryWrongOptions(
  collected: Collected,
  place: string | null,
  report: (error: unknown) => void,
) {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  collected.add("a private signing key", pem.split("\n")[1]);
  const store = createMemoryStore();
  const secrets = generateSecrets();
  addAll(collected, "a gateway's secrets", secrets);
  const { artifacts } = await import("../releases.js").then(({ firmware }) => firmware);
  const firmware = { keys: [{ id: "key-1", publicKey: pem }], artifacts };
  await createGateway({ store, secrets, firmware }).catch(report);
  const spoilt = { ...secrets, pepper: `${secrets.pepper.slice(4)}!` };
  collected.add("a gateway's secrets", spoilt.pepper);
  await createGateway({ store, secrets: spoilt }).catch(report);
  if (place?.startsWith("postgres")) {
    const url = new URL(place);
    url.password = "a-database-password-of-nobody";
    url.username = "nobody";
    collected.add("a database's password", url.password);
    await openPostgresStore({ url: String(url), poolSize: 1 }).catch(report);
  }
}

/** Creates a webhook whose URL has credentials. The database must hold neither them nor the signing secrets. */
async function plantWebhook(collected: Collected, storage: Storage, pepper: string) {
  if (storage.place === null) return;
  const store = await storage.open();
  const manager = createWebhookManager(store, { secrets: { pepper } });
  const [password, key] = ["webhook-password-7316", "webhook-key-2048"];
  const url = `https://user:${password}@example.com/hook?key=${key}`;
  const created = await manager.create({ url, actor: "operator" });
  if (created.kind === "created") {
    collected.add("a webhook's secret", created.secret);
    const rotated = await manager.rotateSecret({ id: created.endpoint.id, actor: "operator" });
    if (rotated.kind === "rotated") collected.add("a webhook's secret", rotated.secret);
  }
  collected.add("a webhook's password", password);
  collected.add("a webhook's key", key);
  await store.close();
}

/** Sends a request for each status of each route. Returns the gateway's log and database. */
export async function runLibrary(options: AttackOptions, round: number): Promise<Run> {
  const storage = await createStorage(options.store);
  const { logger, lines } = createKeptLog();
  const seed = options.seed + round;
  const world = await openFuzzWorld(storage, seed, options.plants, logger);
  const collected = collectSecrets();
  const secrets = generateSecrets(createSeededRandom(seed));
  addAll(collected, "the gateway's secrets", secrets);
  await plantWebhook(collected, storage, secrets.pepper);
  const handle = collecting(collected, world.handle);
  const scene = await world.build();
  for (const user of Object.values(scene.tokens)) collected.add("a customer's token", user);
  collected.addFields(scene.device);
  let requests = 0;
  for (const { request } of cases) {
    const sent = await request(scene);
    await withFault(sent.fault, () => sendInProcess(handle, sent));
    requests++;
  }
  await tryWrongOptions(collected, storage.place, (error) =>
    logger.error({ err: error }, "Refused"),
  );
  await world.gateway.maintain();
  await world.close();
  const inDatabase = storage.place === null ? [] : await dump(storage.place);
  await storage.remove();
  return {
    places: [{ what: "the log", bytes: Buffer.from(lines.join("\n")) }, ...inDatabase],
    collected,
    markers: ["Request failed", ...(storage.place === null ? [] : [scene.device.deviceId])],
    requests,
    broken: [],
  };
}
