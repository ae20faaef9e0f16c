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

/** How often maintenance runs in the background. */
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
  // Retention must not delete the year of history that the charts read. The measured fleet stands for
  // claimed devices, so the quota of unclaimed ones is off.
  limits: { telemetryRetentionDays: 400, unclaimedBytesPerMinute: 0 },
  clock: { now: () => Date.now() + ahead },
  customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
});

const answered: Record<number, number> = {};
/** The clients of charts and health checks count those themselves. */
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
// At overload a step may time out on Postgres. The next run continues there.
const timer = setInterval(() => {
  maintain().catch(() => {});
}, maintenanceMs);

const listener =
  options.mount === "listener" ? toNodeListener(gateway) : express().use(toExpressHandler(gateway));

serve(listener, answered, {
  /** Returns how many ms the roll-ups need to catch up from now on. */
  lag: async () => {
    await maintaining;
    const start = performance.now();
    await maintain();
    return performance.now() - start;
  },
  /** Rolls up all records, as if their hours were over. */
  rollUp: async () => {
    ahead = 2 * hourMs;
    await maintaining;
    const { user, system } = process.cpuUsage();
    const report = await gateway.maintain();
    const spent = process.cpuUsage({ user, system });
    return { cpuUs: spent.user + spent.system, hours: report.rolledUpHours };
  },
  /** Returns the heap after collection, V8's code in it, and the memory of the process, in bytes. */
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
