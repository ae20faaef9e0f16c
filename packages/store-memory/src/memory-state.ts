import type {
  Alert,
  AlertNotification,
  AlertRule,
  AlertWatch,
  AppendOnce,
  AppendVerdict,
  Command,
  Device,
  DeviceMetadata,
  DeviceUpdate,
  MetricDescriptions,
  Release,
  RolloutTally,
  SecurityEvent,
  StoredOtaEvent,
  StoredSecurityEvent,
  StoredTelemetryRecord,
  TelemetryRefusal,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from "@device-gateway/core/store";

export interface UsedKey extends AppendOnce {
  readonly verdicts: readonly AppendVerdict[];
}

/** The telemetry of one device. */
export interface SentTelemetry {
  /** Ascending by position. */
  readonly records: StoredTelemetryRecord[];
  /** Pruned records. They remain in the roll-ups of their hours. */
  readonly pruned: StoredTelemetryRecord[];
  /** The positions of stored timed records, by their identity. Duplicates are found by it. */
  readonly identities: Map<string, number>;
  readonly usedKeys: Map<string, UsedKey>;
}

/** An attempt that counts for each of its keys. */
export interface BudgetAttempt {
  readonly at: number;
  readonly keys: readonly string[];
}

/** Metadata with the texts by which the device is found, by key. */
export interface IndexedMetadata {
  readonly content: DeviceMetadata;
  readonly index: Readonly<Record<string, string>>;
}

/** A cursor with its lease. */
export interface Follower {
  readonly cursor: string;
  /** Null: nobody has the lease. */
  readonly holder: string | null;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** An endpoint with its deliveries by message id, and its attempts, the oldest first. */
export interface Webhook {
  readonly endpoint: WebhookEndpoint;
  readonly waiting: ReadonlyMap<string, WebhookDelivery>;
  readonly dead: ReadonlyMap<string, WebhookDelivery>;
  readonly attempts: readonly WebhookAttempt[];
}

export interface Change {
  readonly id: number;
  /** Null if a firmware release changed. */
  readonly deviceId: string | null;
  readonly at: number;
}

/** The data of a memory store. Several stores can share it. */
export interface MemoryState {
  readonly devices: Map<string, Device>;
  readonly blockedIds: Set<string>;
  /** By device. */
  readonly metadata: Map<string, IndexedMetadata>;
  /** By target hardware. */
  readonly metrics: Map<string, MetricDescriptions>;
  /** By device, in the order in which they were sent. */
  readonly commands: Map<string, readonly Command[]>;
  /** By device. */
  readonly telemetry: Map<string, SentTelemetry>;
  /** By device, one entry for each code. */
  readonly refusals: Map<string, readonly TelemetryRefusal[]>;
  /** By reservation. */
  readonly attempts: Map<string, BudgetAttempt>;
  readonly events: StoredSecurityEvent[];
  readonly otaEvents: StoredOtaEvent[];
  /** By release and device. */
  readonly updates: Map<string, DeviceUpdate>;
  /** By release. */
  readonly tallies: Map<number, RolloutTally>;
  readonly releases: Map<number, Release>;
  readonly changes: Change[];
  /** By name. */
  readonly followers: Map<string, Follower>;
  readonly alertRules: Map<string, AlertRule>;
  readonly alerts: Map<string, Alert>;
  /** By device. */
  readonly alertWatches: Map<string, AlertWatch>;
  readonly alertNotifications: Map<string, AlertNotification>;
  /** By endpoint. */
  readonly webhooks: Map<string, Webhook>;
  /** The id of the last event that was imported from each cell. */
  readonly importedEvents: Map<number, number>;
  /** Null until the first gateway starts. */
  keyCheck: string | null;
  lastPosition: number;
  lastEventId: number;
  /** The highest deleted id. */
  prunedEventId: number;
  lastOtaEventId: number;
  lastReleaseId: number;
  lastChangeId: number;
  /** The highest pruned id. */
  prunedChangeId: number;
}

/**
 * Creates an empty state, for stores that share it.
 *
 * @example
 * const state = createMemoryState();
 * const [first, second] = [createMemoryStore(state), createMemoryStore(state)];
 */
export function createMemoryState(): MemoryState {
  return {
    devices: new Map(),
    blockedIds: new Set(),
    metadata: new Map(),
    metrics: new Map(),
    commands: new Map(),
    telemetry: new Map(),
    refusals: new Map(),
    attempts: new Map(),
    events: [],
    otaEvents: [],
    updates: new Map(),
    tallies: new Map(),
    releases: new Map(),
    changes: [],
    followers: new Map(),
    alertRules: new Map(),
    alerts: new Map(),
    alertWatches: new Map(),
    alertNotifications: new Map(),
    webhooks: new Map(),
    importedEvents: new Map(),
    keyCheck: null,
    lastPosition: 0,
    lastEventId: 0,
    prunedEventId: 0,
    lastOtaEventId: 0,
    lastReleaseId: 0,
    lastChangeId: 0,
    prunedChangeId: 0,
  };
}

export function writeEvent(state: MemoryState, event: SecurityEvent): void {
  state.lastEventId += 1;
  state.events.push({ ...event, id: state.lastEventId });
}

export function writeChange(state: MemoryState, deviceId: string | null, at: number): void {
  state.lastChangeId += 1;
  state.changes.push({ id: state.lastChangeId, deviceId, at });
}

/** Changes a device, raises its revision and writes the event. */
export function changeDevice(
  state: MemoryState,
  device: Device,
  changes: Partial<Device>,
  event: SecurityEvent,
): void {
  const { deviceId, revision } = device;
  state.devices.set(deviceId, { ...device, ...changes, revision: revision + 1 });
  writeChange(state, deviceId, event.at);
  writeEvent(state, event);
}

/** Writes a new or changed release and its event. */
export function writeRelease(state: MemoryState, release: Release, event: SecurityEvent): void {
  state.releases.set(release.id, release);
  writeChange(state, null, event.at);
  writeEvent(state, { ...event, details: { ...event.details, releaseId: release.id } });
}

/** A port with synchronous methods. Each is atomic, because no other code can run in between. */
export type Transitions<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (
    input: infer Input,
  ) => Promise<infer Output>
    ? (input: Input) => Output
    : never;
};
