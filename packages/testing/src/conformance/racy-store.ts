import type { GatewayStore } from "@device-gateway/core/store";
import type { MemoryState } from "@device-gateway/store-memory";
import { createMemoryStore } from "@device-gateway/store-memory";

/**
 * Creates a store that reads, lets other calls run, then writes what it decided. The conformance suite must reject
 * it. It is correct as long as calls do not overlap.
 *
 * @example
 * const [a, b] = [createRacyStore(state), createRacyStore(state)]; // over one createMemoryState()
 */
export function createRacyStore(state: MemoryState): GatewayStore {
  const correct = createMemoryStore(state);
  const applyLate = createLateWriter(state);
  /** Runs a method on a copy of the current state, and writes the result to the real state later. */
  const racily =
    <Input, Output>(methodOf: (store: GatewayStore) => (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      const copy = structuredClone(input);
      await correct.ping();
      const before = structuredClone(state);
      const after = structuredClone(state);
      const outcome = await methodOf(createMemoryStore(after))(copy);
      await letOthersRun();
      await applyLate(before, after);
      return outcome;
    };
  return {
    ...correct,
    devices: {
      ...correct.devices,
      register: racily((store) => store.devices.register),
      rotate: racily((store) => store.devices.rotate),
      recordUse: racily((store) => store.devices.recordUse),
      recordProfile: racily((store) => store.devices.recordProfile),
      recordSeen: racily((store) => store.devices.recordSeen),
      rename: racily((store) => store.devices.rename),
      openReEnrolment: racily((store) => store.devices.openReEnrolment),
      revoke: racily((store) => store.devices.revoke),
      reinstate: racily((store) => store.devices.reinstate),
      erase: racily((store) => store.devices.erase),
      dropUnused: racily((store) => store.devices.dropUnused),
    },
    claims: {
      claim: racily((store) => store.claims.claim),
      assign: racily((store) => store.claims.assign),
      release: racily((store) => store.claims.release),
    },
    alerts: {
      ...correct.alerts,
      createRule: racily((store) => store.alerts.createRule),
      replaceRule: racily((store) => store.alerts.replaceRule),
      judge: racily((store) => store.alerts.judge),
      takeNotifications: racily((store) => store.alerts.takeNotifications),
    },
    config: { replaceOverrides: racily((store) => store.config.replaceOverrides) },
    metadata: { ...correct.metadata, replace: racily((store) => store.metadata.replace) },
    metrics: { ...correct.metrics, replace: racily((store) => store.metrics.replace) },
    commands: {
      ...correct.commands,
      send: racily((store) => store.commands.send),
      take: racily((store) => store.commands.take),
      answer: racily((store) => store.commands.answer),
      cancel: racily((store) => store.commands.cancel),
    },
    updates: {
      ...correct.updates,
      report: racily((store) => store.updates.report),
      setOtaTarget: racily((store) => store.updates.setOtaTarget),
      clearBlocks: racily((store) => store.updates.clearBlocks),
    },
    releases: {
      ...correct.releases,
      create: racily((store) => store.releases.create),
      change: racily((store) => store.releases.change),
    },
    telemetry: { ...correct.telemetry, append: racily((store) => store.telemetry.append) },
    followers: { ...correct.followers, take: racily((store) => store.followers.take) },
    refusals: { ...correct.refusals, add: racily((store) => store.refusals.add) },
    webhooks: {
      ...correct.webhooks,
      create: racily((store) => store.webhooks.create),
      replace: racily((store) => store.webhooks.replace),
    },
    keepKeyCheck: racily((store) => store.keepKeyCheck),
    budgets: { ...correct.budgets, reserve: racily((store) => store.budgets.reserve) },
  };
}

/** Writes the differences that a call made. Numbered entries may appear after entries with higher numbers. */
function createLateWriter(state: MemoryState) {
  let calls = 0;
  return async (before: MemoryState, after: MemoryState): Promise<void> => {
    writeDifferences(state.devices, before.devices, after.devices);
    writeDifferences(state.metadata, before.metadata, after.metadata);
    writeDifferences(state.metrics, before.metrics, after.metrics);
    writeDifferences(state.refusals, before.refusals, after.refusals);
    writeDifferences(state.commands, before.commands, after.commands);
    writeDifferences(state.alertRules, before.alertRules, after.alertRules);
    writeDifferences(state.alerts, before.alerts, after.alerts);
    writeDifferences(state.alertWatches, before.alertWatches, after.alertWatches);
    writeDifferences(state.alertNotifications, before.alertNotifications, after.alertNotifications);
    writeDifferences(state.releases, before.releases, after.releases);
    state.lastReleaseId = Math.max(state.lastReleaseId, after.lastReleaseId);
    writeDifferences(state.updates, before.updates, after.updates);
    writeDifferences(state.tallies, before.tallies, after.tallies);
    writeDifferences(state.webhooks, before.webhooks, after.webhooks);
    writeDifferences(state.followers, before.followers, after.followers);
    writeDifferences(state.attempts, before.attempts, after.attempts);
    for (const deviceId of after.blockedIds) state.blockedIds.add(deviceId);
    if (after.keyCheck !== before.keyCheck) state.keyCheck = after.keyCheck;
    state.lastPosition = Math.max(state.lastPosition, after.lastPosition);
    const events = after.events
      .filter(({ id }) => id > before.lastEventId)
      .map((event) => ({ ...event, id: ++state.lastEventId }));
    const otaEvents = after.otaEvents
      .filter(({ id }) => id > before.lastOtaEventId)
      .map((event) => ({ ...event, id: ++state.lastOtaEventId }));
    const changes = after.changes
      .filter(({ id }) => id > before.lastChangeId)
      .map((change) => ({ ...change, id: ++state.lastChangeId }));
    for (let wait = calls++ % 3; wait > 0; wait--) await letOthersRun();
    state.events.push(...events);
    state.events.sort((a, b) => a.id - b.id);
    const erased = (deviceId: string) =>
      before.devices.has(deviceId) && !after.devices.has(deviceId);
    const kept = state.otaEvents.filter(({ deviceId }) => !erased(deviceId));
    state.otaEvents.splice(0, state.otaEvents.length, ...kept, ...otaEvents);
    state.changes.push(...changes);
    state.changes.sort((a, b) => a.id - b.id);
    writeTelemetry(state, before, after);
  };
}

function writeDifferences<Key, Item>(
  into: Map<Key, Item>,
  before: ReadonlyMap<Key, Item>,
  after: ReadonlyMap<Key, Item>,
): void {
  for (const key of before.keys()) if (!after.has(key)) into.delete(key);
  for (const [key, item] of after) {
    if (JSON.stringify(item) !== JSON.stringify(before.get(key))) into.set(key, item);
  }
}

function writeTelemetry(state: MemoryState, before: MemoryState, after: MemoryState): void {
  for (const deviceId of before.telemetry.keys()) {
    if (!after.telemetry.has(deviceId)) state.telemetry.delete(deviceId);
  }
  for (const [deviceId, sent] of after.telemetry) {
    const now = state.telemetry.get(deviceId);
    if (now === undefined) {
      state.telemetry.set(deviceId, sent);
      continue;
    }
    now.records.push(...sent.records.filter(({ position }) => position > before.lastPosition));
    now.records.sort((a, b) => a.position - b.position);
    for (const [identity, position] of sent.identities) now.identities.set(identity, position);
    for (const [key, used] of sent.usedKeys) now.usedKeys.set(key, used);
  }
}

const letOthersRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
