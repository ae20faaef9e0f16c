import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";
import { startKillable } from "../../killable.js";
import type { Orders } from "./orders.js";
import type { Tally } from "./tally.js";

const program = "torture/src/neighbours/attacker/attacker-process.ts";

/** A running attacker process. */
export interface RunningAttacker {
  readonly connections: number;
  /** Whether it has sent all its requests. */
  isSpent(): boolean;
  /** Stops it. Returns what it has done. */
  stop(): Promise<Tally>;
}

/** Starts attackers, each in its own process. */
export interface AttackerHost {
  start(orders: Orders): Promise<RunningAttacker>;
  remove(): void;
}

export async function createAttackerHost(through: readonly string[]): Promise<AttackerHost> {
  const path = await bundleProgram(program);
  const folder = mkdtempSync(join(tmpdir(), "torture-orders-"));
  let count = 0;
  return {
    async start(orders) {
      const file = join(folder, `${++count}.json`);
      writeFileSync(file, JSON.stringify(orders));
      const attacker = await startKillable(path, {
        through,
        arguments: [file],
      });
      return {
        connections: orders.connections,
        isSpent: () => attacker.said.includes("spent"),
        async stop() {
          process.kill(attacker.pid, "SIGTERM");
          await attacker.ended;
          rmSync(file);
          return JSON.parse(attacker.said.at(-1) ?? "") as Tally;
        },
      };
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
