import type { Limits } from "../limits.js";
import type { Budget } from "./budget-store.js";

const minute = 60_000;
const hour = 60 * minute;

type Kind = "claim" | "register";

const pairKey = (kind: Kind, who: string, deviceId: string) =>
  `${kind}:pair:${JSON.stringify([who, deviceId])}`;

/** Bounds what one of many may try on one device. */
const pair = (kind: Kind, who: string, deviceId: string, limit: number): Budget => ({
  key: pairKey(kind, who, deviceId),
  limit,
  windowMs: 15 * minute,
  whenSpent: "refuse",
});

/** Bounds what all of them together may; some tries are spared, so that strangers lock nobody out. */
const device = (
  kind: Kind,
  who: string,
  deviceId: string,
  limit: number,
  spared: number,
): Budget => ({
  key: `${kind}:device:${deviceId}`,
  limit,
  windowMs: hour,
  whenSpent: "refuse",
  unless: { key: pairKey(kind, who, deviceId), windowMs: hour, below: spared },
});

/** Locks nobody out, but is worth an alarm. */
const fleet = (kind: Kind, limit: number): Budget => ({
  key: `${kind}:fleet`,
  limit,
  windowMs: hour,
  whenSpent: "report",
});

/** What a claim counts against (contract §9). Devices that don't exist count alike. */
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

/** What a registration that relies on a claim code counts against (contract §9). */
export function registrationBudgets(limits: Limits, address: string, deviceId: string): Budget[] {
  return [
    pair("register", address, deviceId, limits.registerTriesPerAddressAndDevice),
    device("register", address, deviceId, limits.registerTriesPerDevice, 1),
    fleet("register", limits.fleetFailuresPerHour),
  ];
}
