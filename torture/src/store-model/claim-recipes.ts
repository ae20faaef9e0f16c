import type {
  BudgetStore,
  ChangeFeed,
  ClaimStore,
  ConfigStore,
  SecurityEventStore,
} from "@device-gateway/core/store";
import fc from "fast-check";
import {
  at,
  claimCodeHashes,
  deviceIds,
  eventOf,
  hourMs,
  json,
  limits,
  minuteMs,
  ownerOrOperator,
  owners,
  part,
  staleness,
} from "./pools.js";
import { drafted, pick, type RecipesOf } from "./recipe.js";

const hadOwner = fc.constantFrom(false, false, true);

export const claimRecipes: RecipesOf<ClaimStore> = {
  claim: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ownerId: owners,
        right: fc.constantFrom(true, true, false),
        otherwise: claimCodeHashes,
        hadOwner,
      }),
      ({ deviceId, ownerId, right, otherwise, ...seen }, side) => ({
        deviceId,
        ownerId,
        ...seen,
        claimCodeHash: right
          ? (side.state.devices.get(deviceId)?.claimCodeHash ?? otherwise)
          : otherwise,
        now: side.now,
        event: eventOf(side, deviceId, "device.claimed", { ownerId }),
      }),
    ),
  },
  assign: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, ownerId: owners, hadOwner }),
      ({ deviceId, ownerId, ...seen }, side) => ({
        deviceId,
        ownerId,
        ...seen,
        now: side.now,
        event: eventOf(side, deviceId, "device.assigned", { ownerId }),
      }),
    ),
  },
  release: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ownerId: owners,
        right: fc.boolean(),
        spendCode: fc.boolean(),
      }),
      ({ deviceId, ownerId, right, spendCode }, side) => ({
        deviceId,
        ownerId: (right && side.state.devices.get(deviceId)?.ownership?.ownerId) || ownerId,
        spendCode,
        event: eventOf(side, deviceId, "device.released"),
      }),
    ),
  },
};

export const configRecipes: RecipesOf<ConfigStore> = {
  replaceOverrides: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        ownerId: ownerOrOperator,
        values: json,
        stale: staleness,
      }),
      ({ stale, ...input }, side) => ({
        ...input,
        expectedRevision:
          (side.state.devices.get(input.deviceId)?.configOverrides.revision ?? 0) + stale,
        event: eventOf(side, input.deviceId, "device.configured"),
      }),
    ),
  },
};

const budgets = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom("device:gw-1", "device:gw-2", "customer:a", "pair:a"),
    limit: fc.constantFrom(1, 2, 4),
    windowMs: fc.constantFrom(minuteMs, 15 * minuteMs, hourMs),
    whenSpent: fc.constantFrom("refuse" as const, "refuse" as const, "report" as const),
    unless: fc.constantFrom(
      undefined,
      undefined,
      { key: "pair:a", windowMs: hourMs, below: 2 },
      { key: "customer:a", windowMs: minuteMs, below: 1 },
    ),
  }),
  { selector: ({ key }) => key, minLength: 1, maxLength: 3 },
);

export const budgetRecipes: RecipesOf<BudgetStore> = {
  reserve: {
    drafts: drafted(
      // The clocks of two processes differ slightly.
      fc.record({ budgets, ago: fc.constantFrom(0, 0, 1, 5_000), nonce: fc.nat() }),
      ({ budgets: wanted, ago, nonce }, side) => ({
        reservationId: `try-${side.now}-${nonce}`,
        budgets: wanted.map(({ unless, ...budget }) => ({ ...budget, ...(unless && { unless }) })),
        now: side.now - ago,
        event: eventOf(side, "gw-1", "budget.spent", { nonce }),
      }),
    ),
  },
  refund: {
    drafts: drafted(
      part,
      (share, { state }) => at([...state.attempts.keys()], share) ?? "of-nobody",
    ),
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(0, minuteMs, hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ before: now - ago, limit }),
    ),
    drains: (count) => count,
  },
};

const someDevice = fc.option(deviceIds, { freq: 1, nil: undefined });
const eventKinds = fc.option(
  fc.subarray(["device.registered", "device.claimed", "update.moved", "release.changed"] as const),
  { nil: undefined },
);
const eventIds = { id: "event", releaseId: "release" } as const;

export const securityEventRecipes: RecipesOf<SecurityEventStore> = {
  list: {
    drafts: drafted(
      fc.record({ part, limit: limits, deviceId: someDevice, kinds: eventKinds }),
      ({ part: share, ...page }, side) => ({ ...page, after: pick(side, "event", share) }),
    ),
    ids: eventIds,
  },
  newest: {
    drafts: drafted(
      fc.record({
        share: fc.option(part),
        limit: limits,
        deviceId: someDevice,
        kinds: eventKinds,
      }),
      ({ share, ...page }, side) => ({
        ...page,
        before: share === null ? Number.MAX_SAFE_INTEGER : pick(side, "event", share),
      }),
    ),
    ids: eventIds,
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(minuteMs, hourMs, 12 * hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ kind: "update.moved" as const, before: now - ago, limit }),
    ),
    drains: (count) => count,
  },
  // The snapshots compare which events are left.
  prunedUpTo: {
    drafts: drafted(fc.constant(undefined), () => undefined),
    promised: (id) => id > 0,
  },
};

export const changeRecipes: RecipesOf<ChangeFeed> = {
  since: {
    drafts: drafted(part, (share, side) => side.cursor(share)),
    // Earlier changes may be reported again.
    promised: ({ kind }) => kind,
  },
  prune: {
    drafts: drafted(
      fc.record({ ago: fc.constantFrom(minuteMs, hourMs, 12 * hourMs), limit: limits }),
      ({ ago, limit }, { now }) => ({ before: now - ago, limit }),
    ),
    drains: (count) => count,
    // A change may be listed twice, and the number may depend on the order of simultaneous calls.
    promised: () => null,
  },
};
