import { parseArgs } from "node:util";
import { aliases } from "./attacks.js";
import { type StorageKind, storageKinds } from "./storage.js";

export interface Command {
  readonly names: readonly string[];
  readonly stores: readonly StorageKind[];
  readonly seed: number;
  readonly long: boolean;
  readonly rounds?: number;
  readonly round?: number;
  readonly path?: string;
  readonly only?: RegExp;
}

const usage = (names: readonly string[]) =>
  `Usage: pnpm torture ${names.join("|")}|all [--rounds N] [--seed S] [--store ${storageKinds.join("|")}] [--long] [--round N (runs only this round)] [--path P (runs only this case of fast-check)] [--only REGEX (runs only these cases of authorization or neighbours)]`;

const wholeNumber = (text: string | undefined) =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;

/** Parses the command line. Returns the usage text if it is invalid. */
export function parseCommand(args: readonly string[], known: readonly string[]): Command | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: { type: "string" },
        round: { type: "string" },
        seed: { type: "string" },
        store: { type: "string" },
        path: { type: "string" },
        only: { type: "string" },
        long: { type: "boolean", default: false },
      },
    });
    const given = positionals.map((name) => aliases[name] ?? name);
    const names = given.includes("all") ? known : given;
    const { store, long, path, only } = values;
    const numbers = [values.rounds, values.round, values.seed];
    const wrong =
      names.length === 0 ||
      names.some((name) => !known.includes(name)) ||
      (store !== undefined && !storageKinds.some((kind) => kind === store)) ||
      numbers.some((text) => text !== undefined && wholeNumber(text) === undefined);
    if (wrong) return usage(known);
    const [rounds, round, seed] = numbers.map(wholeNumber);
    return {
      names,
      stores: store === undefined ? storageKinds : [store as StorageKind],
      long,
      seed: seed ?? Date.now() % 1_000_000,
      ...(rounds !== undefined && { rounds }),
      ...(round !== undefined && { round }),
      ...(path !== undefined && { path }),
      ...(only !== undefined && { only: new RegExp(only) }),
    };
  } catch {
    return usage(known);
  }
}
