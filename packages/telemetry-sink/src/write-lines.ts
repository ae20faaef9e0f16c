import { ReceiverUnavailableError, type SendOutcome } from "./receiver.js";

export interface WrittenLines {
  readonly written: number;
  /** Lines that the receiver rejects, alone or together with others. They are not sent again. */
  readonly skipped: number;
  /** Why it rejected the first of them. Undefined if it rejected none. */
  readonly reason: string | undefined;
}

export interface LineSender {
  send(lines: readonly string[]): Promise<SendOutcome>;
  /** Returns a line that every working receiver accepts. */
  probe(): string;
}

type RejectedOutcome = Extract<SendOutcome, { readonly kind: "rejected" }>;

/** What one request contained, and why the receiver rejected it. */
interface Rejected {
  /** The lines of each device, or single lines. They are sent in this order. */
  readonly parts: readonly (readonly string[])[];
  readonly outcome: RejectedOutcome;
}

/** How many more requests may search for rejected lines. */
interface Budget {
  left: number;
}

/** Requests that search for the rejected lines of one batch. Without a limit, it would be two for each of them. */
const searchRequests = 128;

/**
 * Halves rejected requests, always the one with the most devices, until the rejected devices are alone or the budget is
 * used up. Returns what the receiver still rejects.
 */
async function isolateDevices(
  send: LineSender["send"],
  first: Rejected,
  budget: Budget,
): Promise<readonly Rejected[]> {
  const found = [first];
  for (;;) {
    const [largest] = found.toSorted((a, b) => b.parts.length - a.parts.length);
    if (largest === undefined) return found;
    const { parts } = largest;
    if (parts.length === 1 || budget.left <= 0) return found;
    const middle = Math.ceil(parts.length / 2);
    const rejected: Rejected[] = [];
    for (const half of [parts.slice(0, middle), parts.slice(middle)]) {
      budget.left -= 1;
      const outcome = await send(half.flat());
      if (outcome.kind === "rejected") rejected.push({ parts: half, outcome });
    }
    found.splice(found.indexOf(largest), 1, ...rejected);
  }
}

/**
 * Halves the rejected lines of a device until the rejected ones are alone. The lines are sent in their order, because the later
 * of two with the same time counts. When the budget is used up, it sends each remaining half once and halves no further.
 * Returns what the receiver still rejects.
 */
async function isolateLines(
  send: LineSender["send"],
  { parts, outcome }: Rejected,
  budget: Budget,
): Promise<readonly Rejected[]> {
  if (parts.length === 1 || budget.left <= 0) return [{ parts, outcome }];
  const middle = Math.ceil(parts.length / 2);
  const found: Rejected[] = [];
  for (const half of [parts.slice(0, middle), parts.slice(middle)]) {
    budget.left -= 1;
    const answer = await send(half.flat());
    if (answer.kind === "accepted") continue;
    found.push(...(await isolateLines(send, { parts: half, outcome: answer }, budget)));
  }
  return found;
}

/** Finds the devices with rejected lines first. Each of them gets an equal share of the remaining requests. */
async function findRejected(
  send: LineSender["send"],
  rejected: Rejected,
): Promise<readonly Rejected[]> {
  const budget = { left: searchRequests };
  const devices = await isolateDevices(send, rejected, budget);
  const found: Rejected[] = [];
  for (const [n, { parts, outcome }] of devices.entries()) {
    const share = { left: Math.floor(budget.left / (devices.length - n)) };
    budget.left -= share.left;
    const lines = parts.flat().map((line) => [line]);
    found.push(...(await isolateLines(send, { parts: lines, outcome }, share)));
    // The next devices get the requests that this device has not used.
    budget.left += share.left;
  }
  return found;
}

/**
 * Writes the lines of each device. If the receiver rejects some, it halves them until the rejected lines are alone, and
 * skips those. If that takes too many requests, it skips lines that were rejected together: lines of one device, or of
 * several if many devices have rejected lines. Before it halves, it sends a line that must be accepted: a receiver that
 * rejects even this one is set up wrongly, and loses no record.
 * @throws {ReceiverUnavailableError} if the receiver is unavailable or rejects everything. All lines may be sent again.
 */
export async function writeLines(
  { send, probe }: LineSender,
  parts: readonly (readonly string[])[],
): Promise<WrittenLines> {
  const lines = parts.flat();
  const first = await send(lines);
  if (first.kind === "accepted") return { written: lines.length, skipped: 0, reason: undefined };
  const probed = await send([probe()]);
  if (probed.kind === "rejected") {
    throw new ReceiverUnavailableError(
      `The receiver rejects every line with ${probed.status}: ${probed.reason}. Correct the URL`,
    );
  }
  // The receiver may have been corrected since the first attempt.
  const second = await send(lines);
  if (second.kind === "accepted") return { written: lines.length, skipped: 0, reason: undefined };

  const rejected = await findRejected(send, { parts, outcome: second });
  const skipped = rejected.reduce((sum, one) => sum + one.parts.flat().length, 0);
  const outcome = rejected[0]?.outcome;
  const reason = outcome && `${outcome.status}: ${outcome.reason}`;
  return { written: lines.length - skipped, skipped, reason };
}
