import type { AlertAnswer, AlertRuleAnswer } from "@device-gateway/core/contract";
import { call } from "../api/call.js";
import { type Loaded, useLoad, useRefreshed } from "../ui/use-load.js";

/** Whose rules: the user's own, or those of all operators. */
export type AlertScope = "own" | "operator";

const refreshMs = 15_000;

export interface AlertQuery {
  readonly scope: AlertScope;
  /** Only alerts about this device. */
  readonly deviceId?: string;
  readonly state: "firing" | "all";
  readonly limit: number;
}

export type LoadedAlerts = Loaded<{
  readonly alerts: readonly AlertAnswer[];
  readonly nextCursor: string | null;
}>;

export const useAlerts = ({ scope, deviceId, state, limit }: AlertQuery): LoadedAlerts =>
  useRefreshed(
    useLoad(`alerts/${scope}/${deviceId ?? ""}/${state}/${limit}`, (signal) =>
      call("listAlerts", { query: { scope, deviceId, state, limit }, signal }),
    ),
    refreshMs,
  );

export type LoadedRules = Loaded<{
  readonly rules: readonly AlertRuleAnswer[];
  readonly evaluatedAt: string | null;
}>;

/** Loads all rules: an owner has at most 50, and so have the operators. */
export const useRules = (scope: AlertScope): LoadedRules =>
  useRefreshed(
    useLoad(`rules/${scope}`, (signal) =>
      call("listAlertRules", { query: { scope, limit: 50 }, signal }),
    ),
    refreshMs,
  );
