import { StoreUnavailableError } from "./ports/store-unavailable-error.js";

export interface CoalesceOptions<Input, Outcome> {
  /** Commits all inputs together and returns their outcomes in the same order, or commits none and rejects. */
  readonly commit: (inputs: readonly Input[]) => Promise<readonly Outcome[]>;
  /** Returns the weight of an input. Default: 1. */
  readonly weigh?: (input: Input) => number;
  /**
   * Returns who sent an input. If not all inputs fit into a commit, one of each sender goes first, so that a sender
   * with many inputs delays the others by no more than one of its inputs. Default: all inputs have one sender.
   */
  readonly senderOf?: (input: Input) => string;
  /** Largest weight of a commit. An input that is heavier is committed alone. */
  readonly batchWeight: number;
  /** Number of inputs that may wait. While the queue is full, calls reject with `StoreUnavailableError`. */
  readonly queueSize: number;
  /**
   * Starts a flush later, so that calls of the same moment share it. The promise of `flush` resolves after the commit and
   * never rejects. Default: in the next microtask.
   */
  readonly defer?: (flush: () => Promise<void>) => void;
}

interface Waiting<Input, Outcome> {
  readonly input: Input;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets concurrent calls share commits (group commit). While a commit runs, further inputs wait; they are committed
 * together when it returns. There is no timer. A batch that fails is split until the invalid input fails alone. A
 * `StoreUnavailableError` rejects all inputs that wait.
 *
 * @example
 * const append = coalesce({ commit: insertAll, batchWeight: 1_000, queueSize: 4_096 });
 * await Promise.all([append(first), append(second)]); // one call of insertAll([first, second])
 */
export function coalesce<Input, Outcome>({
  commit,
  weigh = () => 1,
  senderOf = () => "",
  batchWeight,
  queueSize,
  defer = (start) => queueMicrotask(() => void start()),
}: CoalesceOptions<Input, Outcome>): (input: Input) => Promise<Outcome> {
  type Call = Waiting<Input, Outcome>;
  const waiting: Call[] = [];
  let isFlushing = false;
  let batches = 0;
  /** The latest batch of each sender that was served and has more inputs waiting. */
  let latestBatch = new Map<string, number>();

  async function settle(calls: readonly Call[]): Promise<void> {
    try {
      const outcomes = await commit(calls.map(({ input }) => input));
      for (const [i, { resolve }] of calls.entries()) resolve(outcomes[i] as Outcome);
    } catch (error) {
      // If the storage is unavailable, no input is to blame. Committing halves, or the waiting inputs, would only add
      // load and delay their callers.
      const isUnavailable = error instanceof StoreUnavailableError;
      if (calls.length === 1 || isUnavailable) {
        const rejected = isUnavailable ? [...calls, ...waiting.splice(0)] : calls;
        for (const { reject } of rejected) reject(error);
        return;
      }
      const middle = calls.length >> 1;
      await settle(calls.slice(0, middle));
      await settle(calls.slice(middle));
    }
  }

  /**
   * Takes inputs in order of arrival, but starts with one input of each sender. The sender that was served least
   * recently comes first.
   */
  function takeBatch(): Call[] {
    const total = waiting.reduce((sum, { input }) => sum + weigh(input), 0);
    if (total <= batchWeight) {
      latestBatch.clear();
      return waiting.splice(0);
    }
    const firsts = new Map<string, Call>();
    for (const call of waiting) {
      const sender = senderOf(call.input);
      if (!firsts.has(sender)) firsts.set(sender, call);
    }
    const inTurn = [...firsts].sort(
      ([a], [b]) => (latestBatch.get(a) ?? 0) - (latestBatch.get(b) ?? 0),
    );
    let weight = 0;
    const batch = new Set<Call>();
    for (const call of new Set([...inTurn.map(([, first]) => first), ...waiting])) {
      weight += weigh(call.input);
      if (batch.size > 0 && weight > batchWeight) break;
      batch.add(call);
    }
    const taken = waiting.filter((call) => batch.has(call));
    waiting.splice(0, waiting.length, ...waiting.filter((call) => !batch.has(call)));
    noteServed(taken);
    return taken;
  }

  function noteServed(taken: readonly Call[]): void {
    batches += 1;
    const served = new Set(taken.map(({ input }) => senderOf(input)));
    const next = new Map<string, number>();
    for (const { input } of waiting) {
      const sender = senderOf(input);
      const latest = served.has(sender) ? batches : latestBatch.get(sender);
      if (latest !== undefined) next.set(sender, latest);
    }
    latestBatch = next;
  }

  async function flush(): Promise<void> {
    await settle(takeBatch());
    if (waiting.length > 0) defer(flush);
    else isFlushing = false;
  }

  return (input) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= queueSize) {
        reject(new StoreUnavailableError("Too many writes are waiting. Try again later."));
        return;
      }
      waiting.push({ input, resolve, reject });
      if (isFlushing) return;
      isFlushing = true;
      defer(flush);
    });
}
