import { alertRoutes } from "./alert.js";
import { bulkRoutes } from "./bulk.js";
import { claimRoutes } from "./claim.js";
import { commandRoutes } from "./command.js";
import { configRoutes } from "./config.js";
import { dashboardRoutes } from "./dashboard.js";
import { deviceRoutes } from "./device.js";
import { firmwareRoutes } from "./firmware/firmware.js";
import { updateRoutes } from "./firmware/update.js";
import { historyRoutes } from "./history.js";
import { metadataRoutes } from "./metadata.js";
import { metricRoutes } from "./metric.js";
import { operatorRoutes } from "./operator.js";
import type { Route } from "./parts/route.js";
import { refusalRoutes } from "./refusal.js";
import { serviceRoutes } from "./service.js";
import { telemetryRoutes } from "./telemetry.js";
import { webhookRoutes } from "./webhook.js";

/** The whole API, one entry per operation. */
export const routes = {
  ...deviceRoutes,
  ...telemetryRoutes,
  ...configRoutes,
  ...claimRoutes,
  ...dashboardRoutes,
  ...historyRoutes,
  ...refusalRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...operatorRoutes,
  ...bulkRoutes,
  ...metadataRoutes,
  ...metricRoutes,
  ...firmwareRoutes,
  ...updateRoutes,
  ...commandRoutes,
  ...serviceRoutes,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
