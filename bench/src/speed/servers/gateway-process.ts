import { getHeapCodeStatistics } from "node:v8";
import { toExpressHandler } from "@device-gateway/adapter-express";
import { createGateway, type Gateway, type GatewaySecrets } from "@device-gateway/core";
import { createLibuvSlowHash, nodeDigest, toNodeListener } from "@device-gateway/core/node";
import express from "express";
import { openPlace, type StorePlace } from "../store-place.js";
import { serve } from "./serve.js";

export interface GatewayProcessOptions {
  readonly place: StorePlace;
  readonly secrets: GatewaySecrets;
  readonly mount: "listener" | "express";
}

/** What hours are rolled up in the background, so often. */
const maintenanceMs = 1_000;
const hourMs = 3_600_000;

const options = JSON.parse(process.argv[2] ?? "") as GatewayProcessOptions;
const store = await openPlace(options.place);
let ahead = 0;
const built = await createGateway({
  store,
  secrets: options.secrets,
  slowHash: createLibuvSlowHash(),
  digest: nodeDigest,
  // The year of history that charts are made of is not to go while they are measured.
  // What is measured is a fleet in use, whose devices are claimed.
  limits: { telemetryRetentionDays: 400, unclaimedBytesPerMinute: 0 },
  clock: { now: () => Date.now() + ahead },
  customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
});

const answered: Record<number, number> = {};
/** Charts and health checks are measured by who asks for them. */
const isCounted = (path: string) => path.includes("/api/v1/") && !path.includes("/dashboard/");
const gateway: Gateway = {
  ...built,
  handle: (request) =>
    built.handle(request).then((answer) => {
      if (isCounted(request.path)) answered[answer.status] = (answered[answer.status] ?? 0) + 1;
      return answer;
    }),
};

let maintaining: Promise<unknown> | undefined;
const maintain = () => {
  maintaining ??= gateway.maintain().finally(() => {
    maintaining = undefined;
  });
  return maintaining;
};
// At overload a step of it may take too long for Postgres: the next one goes on there.
const timer = setInterval(() => {
  maintain().catch(() => {});
}, maintenanceMs);

const listener =
  options.mount === "listener" ? toNodeListener(gateway) : express().use(toExpressHandler(gateway));

serve(listener, answered, {
  /** How long the roll-ups need to catch up with what came in, from now on. */
  lag: async () => {
    await maintaining;
    const start = performance.now();
    await maintain();
    return performance.now() - start;
  },
  /** Rolls all of it up, as if its hours were over. */
  rollUp: async () => {
    ahead = 2 * hourMs;
    await maintaining;
    const { user, system } = process.cpuUsage();
    const report = await gateway.maintain();
    const spent = process.cpuUsage({ user, system });
    return { cpuUs: spent.user + spent.system, hours: report.rolledUpHours };
  },
  /** What is left after collection, how much of it is V8's code, and what the process takes up, in bytes. */
  memory: () => {
    globalThis.gc?.();
    const { heapUsed, rss, external } = process.memoryUsage();
    return { heapUsed, rss, external, code: getHeapCodeStatistics().code_and_metadata_size };
  },
  close: async () => {
    clearInterval(timer);
    await maintaining?.catch(() => {});
    await store.close();
  },
});
