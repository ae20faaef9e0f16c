import {
  type Alert,
  type AlertRule,
  type Device,
  type GatewayStore,
  nextTurn,
  type Release,
} from "@device-gateway/core/store";

/** What the judgement of some events needs, read once for all of them. */
export interface EventFacts {
  readonly devices: ReadonlyMap<string, Device>;
  readonly releases: ReadonlyMap<number, Release>;
  /** The rules about events of the operators and of the owners of the devices. */
  readonly rules: readonly AlertRule[];
  /** The alerts about the devices and releases that fire. */
  readonly firing: readonly Alert[];
}

/** Returns the subject of alerts about a release. */
export const toReleaseSubject = (releaseId: number): string => `release/${releaseId}`;

/** Finds each in a turn of the event loop of its own. Leaves out what does not exist. */
async function findEach<Id, Found>(
  ids: Iterable<Id>,
  find: (id: Id) => Promise<Found | null>,
): Promise<ReadonlyMap<Id, Found>> {
  const all = new Map<Id, Found>();
  for (const id of ids) {
    await nextTurn();
    const found = await find(id);
    if (found !== null) all.set(id, found);
  }
  return all;
}

const isAboutEvents = ({ condition: { kind } }: AlertRule): boolean =>
  kind === "update_failed" || kind === "rollout_halted";

/** Reads what the judgement of events about these devices and releases needs. */
export async function readEventFacts(
  store: GatewayStore,
  deviceIds: ReadonlySet<string>,
  releaseIds: ReadonlySet<number>,
): Promise<EventFacts> {
  const devices = await findEach(deviceIds, (id) => store.devices.find(id));
  const releases = await findEach(releaseIds, (id) => store.releases.find(id));
  const subjects = [...devices.keys(), ...[...releases.keys()].map(toReleaseSubject)];
  if (subjects.length === 0) return { devices, releases, rules: [], firing: [] };
  const owners = new Set([...devices.values()].map(({ ownership }) => ownership?.ownerId ?? null));
  const rules = await store.alerts.rulesOf([...owners.add(null)]);
  const firing = await store.alerts.firing(subjects);
  return { devices, releases, rules: rules.filter(isAboutEvents), firing };
}
