import type { RejectedRecord, TelemetryAnswer } from "../../contract/index.js";
import type { Rejection } from "./rejection.js";

/** The part of a telemetry response that is stored with an idempotency key: everything except the counts of records. */
export type AnswerMemo = Omit<TelemetryAnswer, "accepted" | "duplicates">;

/** Each distinct rejection once, and one character per record that refers to it. */
interface PackedRejections {
  readonly reasons: readonly Rejection[];
  /** A digit in base 36 is an index of `reasons`. A dot stands for a record that was not rejected. */
  readonly records: string;
}

interface PackedMemo extends Omit<AnswerMemo, "rejected"> {
  /** Earlier versions stored the list itself. */
  readonly rejected: readonly RejectedRecord[] | PackedRejections;
}

function packRejections(rejected: readonly RejectedRecord[]): PackedRejections {
  const reasons = new Map<string, Rejection & { readonly digit: string }>();
  const records: string[] = [];
  for (const { index, code, message } of rejected) {
    const name = `${code} ${message}`;
    const digit = reasons.get(name)?.digit ?? reasons.size.toString(36);
    reasons.set(name, { code, message, digit });
    records[index] = digit;
  }
  return {
    reasons: Array.from(reasons.values(), ({ code, message }) => ({ code, message })),
    records: Array.from(records, (digit) => digit ?? ".").join(""),
  };
}

const unpackRejections = ({ reasons, records }: PackedRejections): RejectedRecord[] =>
  Array.from(records).flatMap((digit, index) => {
    const reason = reasons[Number.parseInt(digit, 36)];
    return reason === undefined ? [] : [{ index, ...reason }];
  });

/**
 * Serialises a memo. A rejected record takes one character, because a record of two bytes can be rejected with a
 * message of a hundred.
 */
export const packMemo = ({ rejected, ...rest }: AnswerMemo): string =>
  JSON.stringify({ ...rest, rejected: packRejections(rejected) } satisfies PackedMemo);

/** Parses the text that `packMemo` returned, or the plain JSON of earlier versions. */
export function unpackMemo(text: string): AnswerMemo {
  const { rejected, ...rest } = JSON.parse(text) as PackedMemo;
  const isList = (packed: PackedMemo["rejected"]): packed is readonly RejectedRecord[] =>
    Array.isArray(packed);
  // Keys in the order of the first response, so that the repeated one is the same text.
  return { rejected: isList(rejected) ? [...rejected] : unpackRejections(rejected), ...rest };
}
