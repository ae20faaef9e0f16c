import { sha256 } from "@noble/hashes/sha2.js";
import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import {
  type RejectedRecord,
  recordsOf,
  type TelemetryAnswer,
  type TelemetryRequest,
} from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { offerOf } from "../../ota/offer/current-offer.js";
import { announceReport } from "../../ota/update/announce-report.js";
import { toOtaEvent } from "../../ota/update/ota-status.js";
import { toUpdateRules } from "../../ota/update/update-rules.js";
import { countRejections, noteRefusals } from "../../refusal/note-refusals.js";
import { toBase64Url, toUtf8 } from "../../shared/bytes.js";
import { dayMs } from "../../shared/durations.js";
import type { Failure } from "../../shared/failure.js";
import { isNestedDeeper } from "../../shared/json.js";
import { toTimestamp } from "../../shared/timestamp.js";
import { drawTokens } from "../../throttle/draw-tokens.js";
import { recordAheadMs } from "../record-times.js";
import type {
  AppendInput,
  AppendOnce,
  AppendOutcome,
  AppendVerdict,
  TelemetryRecord,
} from "../telemetry-store.js";
import { type AnswerMemo, packMemo, unpackMemo } from "./answer-memo.js";
import { createIngestCost, type IngestCost } from "./ingest-cost.js";
import { parseRecord } from "./parse-record.js";
import { type ReportedStatus, recentChanges } from "./recent-changes.js";

export type IngestFailure = Failure<
  "invalid_request" | "unauthorized" | "idempotency_key_reused" | "too_many_requests"
>;

export interface IngestInput {
  readonly device: Device;
  readonly body: TelemetryRequest;
  readonly idempotencyKey: string | undefined;
  readonly requestId: string | null;
}

const keyLifetimeMs = dayMs;
/** How deeply a body with an Idempotency-Key can be nested (§4). */
const deepestWithKey = 1_000;

interface ParsedRecords {
  readonly records: readonly TelemetryRecord[];
  readonly rejected: RejectedRecord[];
  readonly cost: IngestCost;
}

function parseRecords(
  body: TelemetryRequest,
  receivedAt: number,
  retentionDays: number,
): ParsedRecords {
  const times = {
    receivedAt,
    oldest: receivedAt - retentionDays * dayMs,
    newest: receivedAt + recordAheadMs,
  };
  const records: TelemetryRecord[] = [];
  const rejected: RejectedRecord[] = [];
  const cost = createIngestCost();
  for (const [index, value] of recordsOf(body).entries()) {
    const parsed = parseRecord(value, times);
    if (parsed.isErr()) {
      rejected.push({ index, ...parsed.error });
      cost.addRejected();
      continue;
    }
    const { record } = parsed.value;
    records.push(record);
    cost.addStored(parsed.value.metricCount, record.at);
  }
  return { records, rejected, cost };
}

/** Returns a request's idempotency key with its digest and memo, or null if the request has no key. */
function onceOf(
  { body, idempotencyKey: key }: IngestInput,
  memo: AnswerMemo,
  now: number,
): Result<AppendOnce | null, IngestFailure> {
  if (key === undefined) return ok(null);
  // How deeply JSON can be nested until JSON.stringify throws depends on the engine.
  if (isNestedDeeper(body, deepestWithKey)) {
    const message = `A body with an Idempotency-Key can be at most ${deepestWithKey} levels deep. Nest it less, or leave the key out.`;
    return err({ code: "invalid_request", errors: [{ path: "", code: "too_deep", message }] });
  }
  const fingerprint = toBase64Url(sha256(toUtf8(JSON.stringify(body))));
  return ok({ key, fingerprint, expiresAt: now + keyLifetimeMs, memo: packMemo(memo) });
}

function toAnswer(verdicts: readonly AppendVerdict[], memo: AnswerMemo): TelemetryAnswer {
  const accepted = verdicts.filter((verdict) => verdict === "stored").length;
  return { accepted, duplicates: verdicts.length - accepted, ...memo };
}

/**
 * Appends records, with the OTA statuses if one of them differs from the last one that is known here. Usually none
 * does, so a device that repeats its status costs nothing.
 */
async function append(
  { store, deviceCache, limits }: GatewayContext,
  device: Device,
  statuses: readonly ReportedStatus[],
  input: AppendInput,
): Promise<AppendOutcome> {
  const { deviceId, profile, otaFingerprint } = device;
  const isChanged = statuses.some(({ status }) => status.fingerprint !== otaFingerprint);
  if (!isChanged) return store.telemetry.append(input);
  const reporter = { deviceId, firmwareVersion: profile.firmwareVersion };
  const rules = toUpdateRules(limits);
  const otaReports = statuses.map(({ record, status }) => ({
    record,
    fingerprint: status.fingerprint,
    event: toOtaEvent(status, reporter, input.receivedAt),
    rules,
  }));
  // The store commits appends of many requests together, so they need no turn. If they took turns, a revocation of the
  // device would wait for all of them.
  return deviceCache.write(deviceId, () => store.telemetry.append({ ...input, otaReports }));
}

/** Announces the records that were stored, and the verdicts on all others, to listeners. */
function announce(
  { events, clock }: GatewayContext,
  { deviceId }: Device,
  { records, rejected }: Pick<ParsedRecords, "records" | "rejected">,
  verdicts: readonly AppendVerdict[],
): void {
  if (events.hasListeners("telemetry.judged")) {
    const kept = verdicts.filter((verdict) => verdict === "stored").length;
    const codes = rejected.map(({ code }) => code);
    const duplicates = verdicts.length - kept;
    events.announce({ kind: "telemetry.judged", stored: kept, duplicates, rejected: codes });
  }
  if (!events.hasListeners("telemetry.received")) return;
  const stored = records
    .filter((_, index) => verdicts[index] === "stored")
    .map(({ at, value }) => ({ at, body: value }));
  if (stored.length === 0) return;
  events.announce({ kind: "telemetry.received", at: clock.now(), deviceId, records: stored });
}

/**
 * Stores a device's records, and returns a verdict on each after they are durable (§4). A repeated request with the
 * same idempotency key gets the first response again.
 */
export async function ingestTelemetry(
  context: GatewayContext,
  input: IngestInput,
): Promise<Result<TelemetryAnswer, IngestFailure>> {
  const { limits, configLayers } = context;
  const { device, body } = input;
  const { deviceId } = device;
  const now = context.clock.now();
  const sorted = parseRecords(body, now, limits.telemetryRetentionDays);
  const { records, rejected, cost } = sorted;
  const { statuses, changes } = recentChanges(records, device.otaFingerprint);
  cost.addOtaChanges(changes);

  const drawn = await drawTokens(context, {
    bucket: "metrics",
    who: deviceId,
    perMinute: limits.metricsPerMinute,
    cost: cost.tokens(),
  });
  if (drawn.isErr()) return err(drawn.error);

  const base: AnswerMemo = {
    rejected,
    serverTime: toTimestamp(now),
    configVersion: configLayers.effective(device).configVersion,
    updateAvailable: offerOf(context, device, await context.releaseCatalog.list()) !== null,
  };
  const memo = device.commandsWaiting ? { ...base, commandsWaiting: true } : base;
  const once = onceOf(input, memo, now);
  if (once.isErr()) return err(once.error);

  const outcome = await append(context, device, statuses, {
    deviceId,
    receivedAt: now,
    records,
    once: once.value,
  });
  switch (outcome.kind) {
    case "appended":
      context.presence.noteWritten(deviceId, now);
      announce(context, device, sorted, outcome.verdicts);
      await noteRefusals(context, device, countRejections(rejected));
      for (const report of outcome.reports ?? []) {
        await announceReport(context, report, input.requestId);
      }
      return ok(toAnswer(outcome.verdicts, memo));
    case "repeated":
      return ok(toAnswer(outcome.verdicts, unpackMemo(outcome.memo)));
    case "key_reused":
      return err({ code: "idempotency_key_reused" });
    case "unknown_device":
      return err({ code: "unauthorized" });
  }
}
