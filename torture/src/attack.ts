import type {
  GatewayRequest,
  GatewayResponse,
  GatewayStore,
  Logger,
  SlowHash,
} from "@device-gateway/core";
import type { AssessOffer } from "../../packages/device-client/src/update/offer/assess-offer.js";
import type { Report, Violation } from "./report.js";
import type { StorageKind } from "./storage.js";

export type Handle = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Bugs to plant, to prove that an attack finds them. Each wraps a port, a hash, the handler or the updater. */
export interface Plants {
  readonly store?: (store: GatewayStore) => GatewayStore;
  readonly slowHash?: (slowHash: SlowHash) => SlowHash;
  readonly handle?: (handle: Handle, store: GatewayStore, logger: Logger) => Handle;
  /** Wraps the check that a device's updater makes of an offer. */
  readonly assess?: (assess: AssessOffer) => AssessOffer;
}

/** One of several parts of a long run. The first has the number 1. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

export interface AttackOptions {
  readonly seed: number;
  readonly store: StorageKind;
  /** How many rounds to run. README.md says what a round is and how many each form runs by default. */
  readonly rounds?: number;
  /** Runs this round only, to reproduce a violation. */
  readonly round?: number;
  /** Path to the failing case within the round, as fast-check printed it. */
  readonly path?: string;
  /** Runs the long form, which a release must pass. The short form runs as a test. */
  readonly long?: boolean;
  /** Runs only cases whose name matches, such as `readDevice by stranger` (`authorization`, `neighbours`). */
  readonly only?: RegExp;
  /** Runs only a part of the cases (`neighbours`), so that a long run can be split. */
  readonly part?: Part;
  readonly plants?: Plants;
  /** The attack may end when each of these has matched a violation. */
  readonly until?: readonly RegExp[];
  /** Called with the progress so far. */
  readonly progress?: (done: number, of: number) => void;
  /** Called with a line for each case, by attacks that describe them. */
  readonly print?: (line: string) => void;
}

export type Attack = (options: AttackOptions) => Promise<Report>;

/** Collects violations, each with the arguments that reproduce it. */
export interface Findings {
  readonly violations: Violation[];
  add(what: string, where?: number | { readonly round: number; readonly path: string }): void;
  /** Returns whether the option `until` allows the attack to end. */
  hasEnough(): boolean;
}

const anyToken = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

export function createFindings(name: string, options: AttackOptions): Findings {
  const violations: Violation[] = [];
  const { seed, store, long, rounds, only: cases, part, until } = options;
  return {
    violations,
    add(what, where) {
      const form =
        (long ? " --long" : "") +
        (rounds === undefined ? "" : ` --rounds ${rounds}`) +
        (cases === undefined ? "" : ` --only '${cases.source}'`) +
        (part === undefined ? "" : ` --part ${part.number}/${part.of}`);
      const { round, path = "" } =
        typeof where === "object" ? where : { round: where ?? options.round };
      const only =
        (round === undefined ? "" : ` --round ${round}`) + (path === "" ? "" : ` --path ${path}`);
      violations.push({
        what: what.replaceAll(anyToken, "<token>"),
        replay: `${name} --store ${store} --seed ${seed}${form}${only}`,
      });
    },
    hasEnough: () =>
      until?.every((shown) => violations.some(({ what }) => shown.test(what))) ?? false,
  };
}

/** Runs the requested rounds one after another. Returns how many ran. */
export async function runRounds(
  { rounds, round, long = false, progress }: AttackOptions,
  defaults: { readonly short: number; readonly long: number },
  run: (round: number) => Promise<void>,
): Promise<number> {
  if (round !== undefined) {
    await run(round);
    return 1;
  }
  const count = rounds ?? (long ? defaults.long : defaults.short);
  for (let n = 0; n < count; n++) {
    await run(n);
    progress?.(n + 1, count);
  }
  return count;
}
