/**
 * A gateway over SQLite or Postgres that runs maintenance all the time, in scene `images` stores
 * images, and with a receiver passes on alerts and telemetry, until it is killed from outside or kills itself at the n-th visit to a point of `points.ts`.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createGateway, type GatewayStore } from "@device-gateway/core";
import {
  createFileArtifactStore,
  loadOrCreateSecrets,
  toNodeListener,
} from "@device-gateway/core/node";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { acknowledgeEarly } from "./acknowledge-early.js";
import { startPassingOn } from "./pass-on.js";

const [folder = "", port = "", url = "", offset = "0", point = "", nth = "0", scene = "", ...more] =
  process.argv.slice(2);
const [receiver = "", openedAt = ""] = more;

let visitsLeft = Number(nth);
/** Without a scene, the server kills itself only after it has answered a record, so that it is under load. */
let isArmed = scene !== "" && scene !== "hasty";
Object.assign(globalThis, {
  killAt(name: string) {
    if (!isArmed || name !== point) return;
    visitsLeft -= 1;
    if (visitsLeft === 0) process.kill(process.pid, "SIGKILL");
  },
});

async function openStore() {
  if (url === "") {
    const artifacts = await createFileArtifactStore({ folder: `${folder}/firmware` });
    return { store: await openSqliteStore({ file: `${folder}/gateway.db` }), artifacts };
  }
  const store = await openPostgresStore({ url, poolSize: 4 });
  return { store, artifacts: store.artifacts };
}

const opened = await openStore();
const store: GatewayStore = scene === "hasty" ? acknowledgeEarly(opened.store) : opened.store;
const gateway = await createGateway({
  store,
  secrets: await loadOrCreateSecrets(`${folder}/secrets.json`),
  scryptCost: { logN: 4, r: 8, p: 1 },
  clock: { now: () => Date.now() + Number(offset) },
  limits: {
    authPerMinute: 1_000_000,
    telemetryPerMinute: 1_000_000,
    metricsPerMinute: 100_000_000,
    telemetryBytesPerMinute: 0,
    unclaimedBytesPerMinute: 0,
    telemetryRetentionDays: 1,
  },
});
const listener = toNodeListener(gateway);
const server = createServer((request, response) => {
  response.once("finish", () => {
    isArmed ||= request.url === "/api/v1/telemetry" && response.statusCode === 200;
  });
  listener(request, response);
});
server.listen(Number(port), "127.0.0.1", () => {
  process.stdout.write("ready\n");
});

async function storeImages(): Promise<never> {
  for (;;) {
    const content = randomBytes(50_000);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const pieces = async function* () {
      yield content;
    };
    const expected = { sha256, size: content.length };
    await opened.artifacts.write({ expected, content: pieces() });
    process.stdout.write(`image ${sha256}\n`);
  }
}

if (scene === "images") void storeImages();
const stopPassingOn =
  receiver === ""
    ? undefined
    : startPassingOn(store, { url: receiver, startedAt: Number(openedAt) });
let stopping = false;
process.on("SIGTERM", () => {
  stopping = true;
});
while (!stopping) {
  await gateway.maintain();
  await new Promise<void>((resolve) => setTimeout(resolve, 50));
}
server.close();
server.closeAllConnections();
await stopPassingOn?.();
await store.close();
