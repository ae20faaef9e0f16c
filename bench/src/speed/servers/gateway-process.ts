import { toExpressHandler } from "@device-gateway/adapter-express";
import { createAlerts, startAlerts } from "@device-gateway/alerts";
import { createGateway, type Gateway, type GatewaySecrets } from "@device-gateway/core";
import { onNode, toNodeListener } from "@device-gateway/core/node";
import express from "express";
import { openPlace, type StorePlace } from "../store/store-place.js";
import { createGatewayQuestions } from "./gateway-questions.js";
import { serve } from "./serve.js";

export interface GatewayProcessOptions {
  readonly place: StorePlace;
  /** An empty folder for other files than the place's. */
  readonly folder: string;
  readonly secrets: GatewaySecrets;
  readonly mount: "listener" | "express";
  /** Whether to evaluate alert rules. */
  readonly alerts: boolean;
}

const hourMs = 3_600_000;

const options = JSON.parse(process.argv[2] ?? "") as GatewayProcessOptions;
const store = await openPlace(options.place);
let ahead = 0;
const built = await createGateway({
  store,
  secrets: options.secrets,
  ...onNode,
  // Retention must not delete the year of history that the charts read. The measured devices are unclaimed but
  // represent claimed ones, so the quota of unclaimed devices is off.
  limits: { telemetryRetentionDays: 400, telemetryBytesPerMinute: 0, unclaimedBytesPerMinute: 0 },
  clock: { now: () => Date.now() + ahead },
  customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
});

const answered: Record<number, number> = {};
/** Returns whether a response is counted here. The clients of charts and health checks count their own. */
const isCounted = (path: string) => path.includes("/api/v1/") && !path.includes("/dashboard/");
const gateway: Gateway = {
  ...built,
  handle: (request) =>
    built.handle(request).then((answer) => {
      if (isCounted(request.path)) answered[answer.status] = (answered[answer.status] ?? 0) + 1;
      return answer;
    }),
};

const listener =
  options.mount === "listener" ? toNodeListener(gateway) : express().use(toExpressHandler(gateway));

const alerts = options.alerts ? startAlerts(createAlerts({ store, gateway })) : undefined;
const questions = createGatewayQuestions(gateway, async () => {
  await alerts?.stop();
  await store.close();
});
serve(listener, answered, {
  ...questions,
  alerts: () => alerts?.readLevels(),
  /** Rolls up all records, as if their hours were over. */
  rollUp: async () => {
    ahead = 2 * hourMs;
    await questions.idle();
    const { user, system } = process.cpuUsage();
    const report = await gateway.maintain();
    const spent = process.cpuUsage({ user, system });
    return { cpuUs: spent.user + spent.system, hours: report.rolledUpHours };
  },
  /** Returns the resident memory of the process in bytes: the current and the largest value. */
  resident: () => ({
    rss: process.memoryUsage.rss(),
    most: process.resourceUsage().maxRSS * 1_024,
  }),
});
