import { ReceiverUnavailableError, type SendOutcome } from "./receiver.js";

export interface WrittenLines {
  readonly written: number;
  /** Lines that the receiver rejects. They are not sent again. */
  readonly skipped: number;
  /** Why it rejected the first of them. Undefined if it rejected none. */
  readonly reason: string | undefined;
}

export interface LineSender {
  send(lines: readonly string[]): Promise<SendOutcome>;
  /** Returns a line that every working receiver accepts. */
  probe(): string;
}

/**
 * Writes lines. If the receiver rejects some, it halves them until the rejected lines are alone, and skips those. Before that
 * it sends a line that must be accepted: a receiver that rejects even this one is set up wrongly, and loses no record.
 * @throws {ReceiverUnavailableError} if the receiver is unavailable or rejects everything. All lines may be sent again.
 */
export async function writeLines(
  { send, probe }: LineSender,
  lines: readonly string[],
): Promise<WrittenLines> {
  const first = await send(lines);
  if (first.kind === "accepted") return { written: lines.length, skipped: 0, reason: undefined };
  const probed = await send([probe()]);
  if (probed.kind === "rejected") {
    throw new ReceiverUnavailableError(
      `The receiver rejects every line with ${probed.status}: ${probed.reason}. Correct the URL`,
    );
  }
  // The receiver may have been corrected between the two.
  const second = await send(lines);
  if (second.kind === "accepted") return { written: lines.length, skipped: 0, reason: undefined };

  let skipped = 0;
  let reason: string | undefined;
  async function halve(some: readonly string[], { status, reason: why }: RejectedOutcome) {
    if (some.length === 1) {
      skipped += 1;
      reason ??= `${status}: ${why}`;
      return;
    }
    const middle = Math.ceil(some.length / 2);
    for (const half of [some.slice(0, middle), some.slice(middle)]) {
      const outcome = await send(half);
      if (outcome.kind === "rejected") await halve(half, outcome);
    }
  }
  await halve(lines, second);
  return { written: lines.length - skipped, skipped, reason };
}

type RejectedOutcome = Extract<SendOutcome, { readonly kind: "rejected" }>;
