import { parseArgs } from "node:util";
import type { Part } from "./attack.js";
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
  readonly part?: Part;
}

const usage = (names: readonly string[]) =>
  `Usage: pnpm torture ${names.join("|")}|all [--rounds N] [--seed S] [--store ${storageKinds.join("|")}] [--long] [--round N (runs only this round)] [--path P (runs only this case of fast-check)] [--only REGEX (runs only these cases of authorization, neighbours or failover)] [--part K/N (runs only the K-th of N parts of neighbours)]`;

const wholeNumber = (text: string | undefined) =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;

/** Parses a part such as `2/4`. Returns nothing if there is no such part. */
function partOf(text: string): Part | undefined {
  const [, number, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  if (number === undefined || of === undefined || number < 1 || number > of) return undefined;
  return { number, of };
}

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
        part: { type: "string" },
        long: { type: "boolean", default: false },
      },
    });
    const given = positionals.map((name) => aliases[name] ?? name);
    const names = given.includes("all") ? known : given;
    const { store, long, path, only } = values;
    const part = values.part === undefined ? undefined : partOf(values.part);
    const numbers = [values.rounds, values.round, values.seed];
    const wrong =
      names.length === 0 ||
      names.some((name) => !known.includes(name)) ||
      (values.part !== undefined && part === undefined) ||
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
      ...(part !== undefined && { part }),
    };
  } catch {
    return usage(known);
  }
}
