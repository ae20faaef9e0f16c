import type {
  RejectedRecord,
  TelemetryAnswer,
  TelemetryRecordBody,
} from "@device-gateway/core/contract";
import { err, ok, Result, ResultAsync } from "neverthrow";
import { SerializedJson } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import type { DeviceCallError } from "../device/device-call.js";
import type { BufferedRecord, DeviceEventListener, DropReason } from "../device/device-event.js";
import { isFromGateway, type Random, refusesContent } from "../retry.js";
import { toStorageError } from "../storage-error.js";
import { maxRequestRecords, toBody } from "./batch.js";
import type { BufferError } from "./buffer-error.js";
import type { BufferStorage } from "./buffer-storage.js";
import type { Entry } from "./journal.js";
import { createMutex } from "./mutex.js";
import {
  type Batch,
  type BufferLimits,
  openTelemetryBuffer,
  type TelemetryBuffer,
} from "./telemetry-buffer.js";
import { toTimedEntry } from "./to-json.js";

/** The result of a flush. */
export interface FlushReport {
  readonly accepted: number;
  /** Records that the server already had, because an earlier response was lost. */
  readonly duplicates: number;
  /** Records that the server rejected one by one (§4). */
  readonly rejected: number;
  /** Records that were dropped because the server refused every request with them. */
  readonly refused: number;
  /** The last response of the server. Null if there was nothing to send. */
  readonly answer: TelemetryAnswer | null;
}

/** Why a flush failed. Unsent records stay in the buffer. */
export type FlushError = DeviceCallError<"sendTelemetry"> | BufferError;

/** Stores readings and sends them (§4). */
export interface TelemetryOutbox {
  /** Number of unsent records. It is 0 until the buffer is first used. */
  readonly waiting: number;
  /** Stores readings until they are sent. Resolves when they are durable on this device. */
  record(...readings: readonly TelemetryRecordBody[]): ResultAsync<void, BufferError>;
  /** Sends all stored readings. After an error, the rest stays in the buffer for the next flush. */
  flush(): ResultAsync<FlushReport, FlushError>;
}

export interface OutboxContext {
  readonly storage: BufferStorage;
  readonly limits: Required<BufferLimits>;
  readonly clock: { now(): number };
  readonly random: Random;
  readonly emit: DeviceEventListener;
  send(
    body: SerializedJson,
    idempotencyKey: string,
  ): PromiseLike<Result<TelemetryAnswer, DeviceCallError<"sendTelemetry">>>;
}

const toRecord = ({ json }: Entry) => JSON.parse(json) as BufferedRecord;

/** 128 random bits in hexadecimal. */
const makeKey = (random: Random) =>
  Array.from(random.bytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Returns how to continue after a failed request with `count` records: at the next flush, with a new key, or, because
 * the content was refused, with fewer records or without the single record. A proxy may refuse every request, so only
 * the gateway's own refusal drops a record.
 */
function remedyFor(error: ClientError, count: number): "later" | "new_key" | "smaller" | "drop" {
  if (error.code === "idempotency_key_reused") return "new_key";
  if (!refusesContent(error)) return "later";
  if (count > 1) return "smaller";
  return isFromGateway(error) ? "drop" : "later";
}

export function createTelemetryOutbox(context: OutboxContext): TelemetryOutbox {
  const { storage, limits, clock, random, emit, send } = context;
  const exclusive = createMutex();
  let opened: TelemetryBuffer | undefined;
  let flushing: Promise<Result<FlushReport, FlushError>> | undefined;

  /** Runs one task at a time. After a fault, it reloads the journal, whose content is unknown then. */
  const withBuffer = <Value>(task: (buffer: TelemetryBuffer) => Promise<Value>) =>
    ResultAsync.fromPromise(
      exclusive(async () => {
        try {
          opened ??= await openTelemetryBuffer(storage, limits);
          return await task(opened);
        } catch (fault) {
          opened = undefined;
          throw fault;
        }
      }),
      (fault) => toStorageError("The buffer storage", fault),
    );

  function emitDropped(reason: DropReason, entries: readonly Entry[]): void {
    if (entries.length > 0) emit({ kind: "dropped", reason, records: entries.map(toRecord) });
  }

  function emitRejected({ entries }: Batch, { rejected }: TelemetryAnswer): void {
    // The client checks only that `rejected` is a list. A proxy can change its items.
    const verdicts = rejected.flatMap((verdict: RejectedRecord | null) => {
      if (typeof verdict?.index !== "number") return [];
      const entry = entries[verdict.index];
      return entry === undefined ? [] : [{ ...verdict, record: toRecord(entry) }];
    });
    if (verdicts.length > 0) emit({ kind: "rejected", verdicts });
  }

  async function sendAll(): Promise<Result<FlushReport, FlushError>> {
    let report: FlushReport = { accepted: 0, duplicates: 0, rejected: 0, refused: 0, answer: null };
    let size = maxRequestRecords;
    /** The most records of one request. A larger request was refused with 413. */
    let mostRecords = maxRequestRecords;
    let newKeys = 0;
    for (;;) {
      const sealed = await withBuffer((buffer) => buffer.seal(size, () => makeKey(random)));
      if (sealed.isErr()) return err(sealed.error);
      const batch = sealed.value;
      if (batch === null) return ok(report);
      const { entries } = batch;
      const sent = await send(new SerializedJson(toBody(entries)), batch.key);
      const remedy = sent.isOk() ? "done" : remedyFor(sent.error, entries.length);
      const settled = await withBuffer(async (buffer) => {
        if (sent.isOk() || remedy === "drop") await buffer.finish(batch);
        else buffer.putBack(remedy !== "later");
      });
      if (settled.isErr()) return err(settled.error);
      if (sent.isOk()) {
        const { value: answer } = sent;
        size = Math.min(mostRecords, size * 2);
        emit({ kind: "sent", accepted: answer.accepted, duplicates: answer.duplicates });
        emitRejected(batch, answer);
        report = {
          accepted: report.accepted + answer.accepted,
          duplicates: report.duplicates + answer.duplicates,
          rejected: report.rejected + answer.rejected.length,
          refused: report.refused,
          answer,
        };
      } else if (remedy === "drop") {
        emitDropped(sent.error.status === 413 ? "too_large" : "refused", entries);
        report = { ...report, refused: report.refused + 1 };
        // This record alone was too large.
        mostRecords = maxRequestRecords;
      } else if (remedy === "smaller") {
        size = Math.ceil(entries.length / 2);
        if (sent.error.status === 413) mostRecords = size;
      } else if (remedy === "new_key" && newKeys < 3) {
        newKeys += 1;
      } else {
        return err(sent.error);
      }
    }
  }

  return {
    get waiting() {
      return opened?.entries.length ?? 0;
    },
    record(...readings) {
      return withBuffer(async (buffer) => {
        const now = clock.now();
        const entries = Result.combine(
          readings.map((reading, index) => toTimedEntry(reading, buffer.nextId + index, now)),
        );
        if (entries.isErr()) return err(entries.error);
        emitDropped("full", await buffer.add(entries.value));
        return ok(undefined);
      }).andThen((result) => result);
    },
    flush() {
      flushing ??= sendAll().finally(() => {
        flushing = undefined;
      });
      return new ResultAsync(flushing);
    },
  };
}
