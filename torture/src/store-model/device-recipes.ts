import type { Credential, DeviceStore } from "@device-gateway/core/store";
import { sampleDevice } from "@device-gateway/testing";
import fc from "fast-check";
import {
  at,
  claimCodeHashes,
  deviceIds,
  eventOf,
  freeText,
  hourMs,
  json,
  limits,
  ownerOrOperator,
  owners,
  part,
  profiles,
  someDevices,
  staleness,
} from "./pools.js";
import { drafted, type RecipesOf, type Side } from "./recipe.js";

const about = (deviceId: string, { state }: Side) => state.devices.get(deviceId);

/** Returns the device's current or pending epoch, or an earlier one. */
const epochOf = (deviceId: string, whose: "current" | "pending" | "old", side: Side): number => {
  const device = about(deviceId, side);
  const current = device?.credential.epoch ?? 1;
  if (whose === "current") return current;
  return whose === "pending" ? (device?.pendingCredential?.epoch ?? current + 1) : current - 1;
};

const nextCredential = (deviceId: string, side: Side): Credential => {
  const device = about(deviceId, side);
  const highest = Math.max(device?.credential.epoch ?? 0, device?.pendingCredential?.epoch ?? 0);
  return { secretHash: `secret-${side.now}`, epoch: highest + 1, issuedAt: side.now };
};

const owned = fc.record({ deviceId: deviceIds, ownerId: ownerOrOperator });

export const deviceRecipes: RecipesOf<DeviceStore> = {
  find: { drafts: drafted(deviceIds, (deviceId) => deviceId), ids: { releaseId: "release" } },
  list: {
    drafts: drafted(
      fc.record({
        ownerId: ownerOrOperator,
        after: fc.constantFrom("", ...someDevices),
        limit: limits,
      }),
      (input) => input,
    ),
    ids: { releaseId: "release" },
  },
  search: {
    drafts: drafted(
      fc.record({
        by: fc.constantFrom("name", "ownerId", "targetHardware", "firmwareVersion"),
        text: fc.constantFrom("", "plain", "owner-a", "gw-2", "1.0.0"),
        isPrefix: fc.boolean(),
        after: fc.option(deviceIds, { freq: 2 }),
        limit: limits,
      }),
      ({ by, text, isPrefix, after, limit }) => ({
        ...{ by, limit, from: text, to: isPrefix ? `${text}\u{10ffff}` : text },
        after: after === null ? null : { value: text, deviceId: after },
      }),
    ),
    ids: { releaseId: "release" },
  },
  listMarked: {
    drafts: drafted(
      fc.record({
        mark: fc.constantFrom("revoked", "unclaimed"),
        after: fc.constantFrom("", ...someDevices),
        limit: limits,
      }),
      (input) => input,
    ),
    ids: { releaseId: "release" },
  },
  register: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        profile: profiles,
        claimCodeHash: claimCodeHashes,
        ownerId: fc.option(owners, { freq: 1 }),
        details: json,
      }),
      ({ deviceId, ownerId, details, ...given }, side) => ({
        device: sampleDevice(deviceId, {
          ...given,
          credential: { secretHash: "first", epoch: 1, issuedAt: side.now },
          registeredAt: side.now,
          ...(ownerId !== null && {
            ownership: { ownerId, claimedAt: side.now, visibleFrom: 0 },
            ownedBefore: true,
          }),
        }),
        event: eventOf(side, deviceId, "device.registered", details),
      }),
    ),
  },
  rotate: {
    drafts: drafted(
      fc.record({
        deviceId: deviceIds,
        stale: staleness,
        profile: profiles,
        claimCodeHash: claimCodeHashes,
        claimCodeSpent: fc.boolean(),
        closeReEnrolment: fc.boolean(),
        isRotation: fc.boolean(),
      }),
      ({ stale, isRotation, ...input }, side) => ({
        ...input,
        expectedRevision: (about(input.deviceId, side)?.revision ?? 1) + stale,
        pending: { ...nextCredential(input.deviceId, side), isRotation },
        event: eventOf(side, input.deviceId, "device.registered_again"),
      }),
    ),
  },
  recordUse: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, whose: fc.constantFrom("current", "pending", "old") }),
      ({ deviceId, whose }, side) => ({
        deviceId,
        epoch: epochOf(deviceId, whose, side),
        now: side.now,
        event: eventOf(side, deviceId, "device.credential_promoted"),
      }),
    ),
  },
  recordProfile: {
    drafts: drafted(fc.record({ deviceId: deviceIds, profile: profiles }), (input, { now }) => ({
      ...input,
      now,
    })),
  },
  recordSeen: {
    drafts: drafted(
      fc.record({ deviceId: deviceIds, ago: fc.constantFrom(0, 1, hourMs) }),
      ({ deviceId, ago }, { now }) => ({ deviceId, now: now - ago }),
    ),
  },
  rename: {
    drafts: drafted(
      fc.record({ owned, name: freeText.filter((text) => !/[\p{C}]/u.test(text)) }),
      ({ owned: input, name }, side) => ({
        ...input,
        name,
        event: eventOf(side, input.deviceId, "device.renamed", { name }),
      }),
    ),
  },
  openReEnrolment: {
    drafts: drafted(owned, (input, side) => ({
      ...input,
      until: side.now + hourMs,
      event: eventOf(side, input.deviceId, "device.re_enrolment_opened"),
    })),
  },
  revoke: {
    drafts: drafted(deviceIds, (deviceId, side) => ({
      deviceId,
      now: side.now,
      event: eventOf(side, deviceId, "device.revoked"),
    })),
  },
  reinstate: {
    drafts: drafted(deviceIds, (deviceId, side) => ({
      deviceId,
      event: eventOf(side, deviceId, "device.reinstated"),
    })),
  },
  erase: {
    drafts: drafted(
      // Later calls cannot use a blocked id, so blocking is rare.
      fc.record({ deviceId: deviceIds, dice: fc.nat(19) }),
      ({ deviceId, dice }, side) => ({
        deviceId,
        block: dice === 0,
        event: eventOf(side, deviceId, "device.erased"),
      }),
    ),
  },
  dropUnused: {
    drafts: drafted(
      fc.record({ deviceId: fc.option(deviceIds, { freq: 2 }), part, limit: limits }),
      ({ deviceId, part: share, limit }, side) => {
        const { kind, ...event } = eventOf(side, "", "device.dropped");
        const times = [...side.state.devices.values()]
          .map((device) => device.pendingCredential?.issuedAt ?? device.registeredAt)
          .sort();
        const { deviceId: _, ...rest } = event;
        return {
          deviceId,
          registeredBefore: (at(times, share) ?? side.now) + 1,
          limit,
          event: { kind, ...rest },
        };
      },
    ),
  },
};
