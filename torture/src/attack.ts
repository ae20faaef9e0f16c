import type {
  GatewayRequest,
  GatewayResponse,
  GatewayStore,
  Logger,
  SlowHash,
} from "@device-gateway/core";
import type { AssessOffer } from "../../packages/device-client/src/update/assess-offer.js";
import type { Report, Violation } from "./report.js";
import type { StorageKind } from "./storage.js";

export type Handle = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Bugs to plant, for the proof that an attack would find them: each wraps a port or the handler. */
export interface Plants {
  readonly store?: (store: GatewayStore) => GatewayStore;
  readonly slowHash?: (slowHash: SlowHash) => SlowHash;
  readonly handle?: (handle: Handle, store: GatewayStore, logger: Logger) => Handle;
  /** How a device's updater judges what it is offered. */
  readonly assess?: (assess: AssessOffer) => AssessOffer;
}

export interface AttackOptions {
  readonly seed: number;
  readonly store: StorageKind;
  /** How much: what a round is, each attack says. Default: few in short form, the bar's in long. */
  readonly rounds?: number;
  /** The one round to run, to see a violation again. */
  readonly round?: number;
  /** The way to the very case within the round, as fast-check printed it. */
  readonly path?: string;
  /** The form that the bar asks for; the short one fits into the tests. */
  readonly long?: boolean;
  readonly plants?: Plants;
  /** Hears how far it is. */
  readonly progress?: (done: number, of: number) => void;
}

export type Attack = (options: AttackOptions) => Promise<Report>;

/** Collects what is broken, each with the arguments that show it again. */
export interface Findings {
  readonly violations: Violation[];
  add(what: string, where?: number | { readonly round: number; readonly path: string }): void;
}

const anyToken = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

export function createFindings(name: string, options: AttackOptions): Findings {
  const violations: Violation[] = [];
  const { seed, store, long } = options;
  return {
    violations,
    add(what, where) {
      const form = long ? " --long" : "";
      const { round, path = "" } = typeof where === "object" ? where : { round: where };
      const only =
        (round === undefined ? "" : ` --round ${round}`) + (path === "" ? "" : ` --path ${path}`);
      violations.push({
        what: what.replaceAll(anyToken, "<token>"),
        replay: `${name} --store ${store} --seed ${seed}${form}${only}`,
      });
    },
  };
}

/** Runs the rounds that are wanted, one after the other. */
export async function runRounds(
  { rounds, round, long = false, progress }: AttackOptions,
  usual: { readonly short: number; readonly long: number },
  run: (round: number) => Promise<void>,
): Promise<number> {
  if (round !== undefined) {
    await run(round);
    return 1;
  }
  const count = rounds ?? (long ? usual.long : usual.short);
  for (let n = 0; n < count; n++) {
    await run(n);
    progress?.(n + 1, count);
  }
  return count;
}
