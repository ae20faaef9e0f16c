import { StoreUnavailableError } from "./ports/store-unavailable-error.js";

export interface CoalesceOptions<Input, Outcome> {
  /** Commits some inputs together and tells each one's outcome, in their order; or none of them. */
  readonly commit: (inputs: readonly Input[]) => Promise<readonly Outcome[]>;
  /** How much of a commit an input is. Default: 1. */
  readonly weigh?: (input: Input) => number;
  /** What a commit weighs at most, but for a single input that is heavier by itself. */
  readonly batchWeight: number;
  /** Inputs that may wait; beyond them calls reject with `StoreUnavailableError`. */
  readonly queueSize: number;
  /** Puts each flush off until what comes at the same moment has come. Default: a microtask. */
  readonly defer?: (flush: () => void) => void;
}

interface Waiting<Input, Outcome> {
  readonly input: Input;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets concurrent calls share commits: while one is under way the next ones gather, and go together
 * when it returns; no timer. A batch that fails is split until the one that is to blame fails alone; at
 * a `StoreUnavailableError` all that wait are rejected.
 */
export function coalesce<Input, Outcome>({
  commit,
  weigh = () => 1,
  batchWeight,
  queueSize,
  defer = queueMicrotask,
}: CoalesceOptions<Input, Outcome>): (input: Input) => Promise<Outcome> {
  type Call = Waiting<Input, Outcome>;
  const waiting: Call[] = [];
  let flushing = false;

  async function settle(calls: readonly Call[]): Promise<void> {
    try {
      const outcomes = await commit(calls.map(({ input }) => input));
      for (const [i, { resolve }] of calls.entries()) resolve(outcomes[i] as Outcome);
    } catch (error) {
      // Nobody is to blame for a storage that is away, and whoever waits would wait for it as long
      // again: trying by halves, or with the next ones, would only press on it.
      const isAway = error instanceof StoreUnavailableError;
      if (calls.length === 1 || isAway) {
        const told = isAway ? [...calls, ...waiting.splice(0)] : calls;
        for (const { reject } of told) reject(error);
        return;
      }
      const middle = calls.length >> 1;
      await settle(calls.slice(0, middle));
      await settle(calls.slice(middle));
    }
  }

  function takeBatch(): Call[] {
    let weight = 0;
    const isBeyond = ({ input }: Call, i: number) => {
      weight += weigh(input);
      return i > 0 && weight > batchWeight;
    };
    const end = waiting.findIndex(isBeyond);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function flush(): Promise<void> {
    await settle(takeBatch());
    if (waiting.length > 0) defer(() => void flush());
    else flushing = false;
  }

  return (input) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= queueSize) {
        reject(new StoreUnavailableError("Too many writes are waiting."));
        return;
      }
      waiting.push({ input, resolve, reject });
      if (flushing) return;
      flushing = true;
      defer(() => void flush());
    });
}
