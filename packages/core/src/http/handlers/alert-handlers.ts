import {
  changeAlertRule,
  createAlertRule,
  listAlertRules,
  removeAlertRule,
} from "../../alert/manage-alert-rules.js";
import { acknowledgeAlert, listAlerts, muteAlert } from "../../alert/manage-alerts.js";
import type { GatewayContext } from "../../context.js";
import type { alertRoutes } from "../../contract/alert.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the routes about alerts. */
export const createAlertHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof alertRoutes> => ({
  listAlertRules: async ({ caller, query }) =>
    (await listAlertRules(context, caller, query)).map((page) => ({ status: 200, body: page })),
  createAlertRule: async ({ caller, query, body, origin }) =>
    (await createAlertRule(context, caller, query.scope, body, origin)).map((rule) => ({
      status: 201,
      body: { rule },
    })),
  changeAlertRule: async ({ caller, params: { ruleId }, body, origin }) =>
    (await changeAlertRule(context, caller, { ruleId, changes: body }, origin)).map((rule) => ({
      status: 200,
      body: { rule },
    })),
  removeAlertRule: async ({ caller, params: { ruleId }, origin }) =>
    (await removeAlertRule(context, caller, ruleId, origin)).map(() => ({ status: 204 })),
  listAlerts: async ({ caller, query }) =>
    (await listAlerts(context, caller, query)).map((page) => ({ status: 200, body: page })),
  acknowledgeAlert: async ({ caller, params: { alertId } }) =>
    (await acknowledgeAlert(context, caller, alertId)).map((alert) => ({
      status: 200,
      body: { alert },
    })),
  muteAlert: async ({ caller, params: { alertId }, body }) =>
    (await muteAlert(context, caller, alertId, body.until)).map((alert) => ({
      status: 200,
      body: { alert },
    })),
});
