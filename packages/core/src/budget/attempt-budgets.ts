import type { Limits } from "../limits.js";
import type { Budget } from "./budget-store.js";

const minute = 60_000;
const hour = 60 * minute;

type Kind = "claim" | "register";

const pairKey = (kind: Kind, caller: string, deviceId: string) =>
  `${kind}:pair:${JSON.stringify([caller, deviceId])}`;

/** Limits the attempts of one caller on one device. */
const pair = (kind: Kind, caller: string, deviceId: string, limit: number): Budget => ({
  key: pairKey(kind, caller, deviceId),
  limit,
  windowMs: 15 * minute,
  whenSpent: "refuse",
});

/**
 * Limits the attempts of all callers on one device. Each caller is guaranteed `guaranteed` attempts, so that strangers cannot
 * lock the owner out.
 */
const device = (
  kind: Kind,
  caller: string,
  deviceId: string,
  limit: number,
  guaranteed: number,
): Budget => ({
  key: `${kind}:device:${deviceId}`,
  limit,
  windowMs: hour,
  whenSpent: "refuse",
  unless: { key: pairKey(kind, caller, deviceId), windowMs: hour, below: guaranteed },
});

/** Counts failures in the whole fleet. It refuses no attempt, but writes a security event when it is spent. */
const fleet = (kind: Kind, limit: number): Budget => ({
  key: `${kind}:fleet`,
  limit,
  windowMs: hour,
  whenSpent: "report",
});

/** Returns the budgets of a claim (§9). Devices that do not exist count in the same way. */
export function claimBudgets(limits: Limits, customerId: string, deviceId: string): Budget[] {
  return [
    pair("claim", customerId, deviceId, limits.claimTriesPerCustomerAndDevice),
    {
      key: `claim:customer:${customerId}`,
      limit: limits.claimTriesPerCustomer,
      windowMs: hour,
      whenSpent: "refuse",
    },
    device("claim", customerId, deviceId, limits.claimTriesPerDevice, 3),
    fleet("claim", limits.fleetFailuresPerHour),
  ];
}

/** Returns the budgets of a registration that relies on a claim code (§9). */
export function registrationBudgets(limits: Limits, address: string, deviceId: string): Budget[] {
  return [
    pair("register", address, deviceId, limits.registerTriesPerAddressAndDevice),
    device("register", address, deviceId, limits.registerTriesPerDevice, 1),
    fleet("register", limits.fleetFailuresPerHour),
  ];
}
