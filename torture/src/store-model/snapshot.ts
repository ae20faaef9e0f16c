import type { GatewayStore } from "@device-gateway/core";
import type { FollowedRecord, StoredSecurityEvent } from "@device-gateway/core/store";
import { findDifference, type IdFields } from "./align.js";
import type { Ids } from "./ids.js";
import { hourMs, minuteMs, someDevices, someHardware } from "./pools.js";
import { sortBuckets } from "./telemetry-recipes.js";

interface Part {
  readonly what: string;
  readonly ids: IdFields;
  readonly value: unknown;
}

const releaseId = { releaseId: "release" } as const;
const position = { position: "position" } as const;
const limit = 10_000;
const everything = { names: [], prefixes: [""], topLevel: true };

/** Groups events by device, because simultaneous calls keep their order only within one device. */
function bySubject(events: readonly StoredSecurityEvent[]) {
  const subjects = new Map<string, StoredSecurityEvent[]>();
  for (const event of events) {
    const ofSubject = subjects.get(event.deviceId);
    if (ofSubject === undefined) subjects.set(event.deviceId, [event]);
    else ofSubject.push(event);
  }
  return [...subjects].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Reads the records of all devices page by page. Returns them by device. */
async function followAll({ telemetry }: GatewayStore) {
  const byDevice = new Map<string, FollowedRecord[]>();
  for (let after = ""; ; ) {
    const { records, next } = await telemetry.follow({ after, limit });
    for (const record of records) {
      byDevice.set(record.deviceId, [...(byDevice.get(record.deviceId) ?? []), record]);
    }
    if (next === after) break;
    after = next;
  }
  const atEnd = await telemetry.follow({ after: await telemetry.end(), limit });
  return { byDevice: [...byDevice].sort(([a], [b]) => (a < b ? -1 : 1)), atEnd: atEnd.records };
}

/** Reads what transitions write, which is enough to distinguish the orders of simultaneous calls. */
export async function takeGlance(store: GatewayStore): Promise<readonly Part[]> {
  const { devices, metadata, commands, telemetry, refusals, otaEvents } = store;
  const { updates, releases, securityEvents, alerts } = store;
  const parts: Part[] = [];
  const add = (what: string, value: unknown, ids: IdFields = {}) =>
    parts.push({ what, ids, value });
  const statuses = ["draft", "active", "paused", "withdrawn"] as const;
  const all = { targetHardware: null, rolloutChannel: null, statuses, limit };
  const found = await releases.list({ ...all, before: Number.MAX_SAFE_INTEGER });
  add("releases", found, { id: "release" });
  const events = await securityEvents.list({ after: 0, limit });
  for (const [subject, ofSubject] of bySubject(events)) {
    add(`events of ${subject}`, ofSubject, { id: "event", ...releaseId });
  }
  add("devices", await devices.list({ ownerId: null, after: "", limit }), releaseId);
  for (const ownerId of [null, "owner-a", "owner-b"]) {
    add(`rules of ${ownerId}`, await alerts.listRules({ ownerId, after: "", limit }));
    const every = { ownerId, deviceId: null, firing: false, before: null, limit };
    add(`alerts of ${ownerId}`, await alerts.list(every));
  }
  add("watch of the fleet", await alerts.findWatch(""));
  const endpoints = await store.webhooks.list();
  add("webhooks", endpoints);
  for (const { id } of endpoints) {
    const ofEndpoint = { endpointId: id, limit };
    add(`waiting for ${id}`, await store.webhooks.waiting(ofEndpoint));
    add(`dead letters of ${id}`, await store.webhooks.dead(ofEndpoint));
    add(`attempts of ${id}`, await store.webhooks.attempts(ofEndpoint));
  }
  for (const hardware of someHardware) {
    add(`metrics of ${hardware}`, await store.metrics.find(hardware));
  }
  for (const deviceId of someDevices) {
    add(`watch of ${deviceId}`, await alerts.findWatch(deviceId));
    add(`metadata of ${deviceId}`, await metadata.find(deviceId));
    add(`refusals of ${deviceId}`, await refusals.list({ deviceId, from: 0 }));
    const allCommands = { deviceId, from: 0, before: null, limit };
    add(`commands of ${deviceId}`, await commands.list(allCommands));
    add(`updates of ${deviceId}`, await updates.list(deviceId), releaseId);
    const ofDevice = { deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit };
    add(`OTA events of ${deviceId}`, await otaEvents.list(ofDevice), { id: "otaEvent" });
    add(`records of ${deviceId}`, await telemetry.read({ deviceId, after: 0, limit }), position);
  }
  return parts;
}

const everyRelease = (glance: readonly Part[]) =>
  glance.flatMap(({ what, value }) =>
    what === "releases" ? (value as readonly { id: number }[]) : [],
  );

const positionsOf = (glance: readonly Part[]) =>
  glance.flatMap(({ what, value }) =>
    what.startsWith("records of ")
      ? (value as readonly { position: number }[]).map((record) => record.position)
      : [],
  );

/** Reads everything that a store holds. */
export async function takeSnapshot(store: GatewayStore, now: number): Promise<readonly Part[]> {
  const { devices, telemetry, updates, releases } = store;
  const glance = await takeGlance(store);
  const parts: Part[] = [...glance];
  const add = (what: string, value: unknown, ids: IdFields = {}) =>
    parts.push({ what, ids, value });
  add("offerable", await releases.offerable(), { id: "release" });
  for (const { id } of everyRelease(glance)) {
    add("counts", await updates.counts(id));
  }
  add("overdue", await updates.overdue({ before: now + 1, silentSince: now, limit }), releaseId);
  add(
    "latest",
    await telemetry.latest(someDevices.map((deviceId) => ({ deviceId, from: 0 }))),
    position,
  );
  const [lastPosition = 0] = await telemetry.lastPositions(someDevices.slice(0, 1));
  add("lastPositions", { isBeyondAll: positionsOf(glance).every((one) => one <= lastPosition) });
  add("followed", await followAll(store), position);
  const to = Math.ceil(now / hourMs + 1) * hourMs;
  for (const deviceId of someDevices) {
    add(`find ${deviceId}`, await devices.find(deviceId), releaseId);
    const range = { deviceId, from: to - 100 * hourMs, to, receivedFrom: 0 };
    for (const intervalMs of [minuteMs, hourMs]) {
      const wanted = { ...range, intervalMs, selection: everything };
      add(`buckets of ${deviceId}`, sortBuckets(await telemetry.aggregate(wanted)));
    }
  }
  return parts;
}

/** Returns the first difference between two snapshots, or null. */
export function compareSnapshots(
  model: readonly Part[],
  store: readonly Part[],
  ids: Ids,
): string | null {
  for (const [n, { what, value, ids: fields }] of model.entries()) {
    const other = store[n];
    if (other?.what !== what) return `${what}: is missing`;
    const found = findDifference({ [what]: value }, { [what]: other.value }, ids, fields);
    if (found !== null) return `afterwards, ${found}`;
  }
  return null;
}
