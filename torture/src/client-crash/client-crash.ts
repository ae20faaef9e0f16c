import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice } from "../dice.js";
import { startKillable } from "../killable.js";
import { untilTrue } from "../load/bounded-wait.js";
import { readStored } from "../load/compare-stored.js";
import { createStorage } from "../storage.js";

const serverProcess = "torture/src/client-crash/server-process.ts";
const clientProcess = "torture/src/client-crash/client-process.ts";

/** Repeatedly kills the client, the server, or both. Returns the readings that the client reported as kept. */
async function killBoth(
  options: AttackOptions,
  programs: { readonly server: string; readonly client: string },
  folder: string,
  mode: string,
): Promise<{ kept: string[]; rounds: number }> {
  const port = String(await findFreePort());
  const dice = createDice(options.seed);
  const kept: string[] = [];
  let starts = 0;
  const startServer = () => startKillable(programs.server, { arguments: [folder, port] });
  const startClient = (how = mode) =>
    startKillable(programs.client, { arguments: [folder, port, String(starts++), how] });
  let [server, client] = await Promise.all([startServer(), startClient()]);
  const endClient = async () => {
    await client.kill();
    kept.push(...client.said);
  };
  try {
    const rounds = await runRounds(options, { short: 5, long: 300 }, async () => {
      await wait(dice.int(250));
      const victim = dice.int(3);
      if (victim !== 0) await endClient();
      if (victim !== 1) await server.kill();
      // For a moment only one of them, or neither, runs.
      await wait(dice.int(60));
      if (victim !== 1) server = await startServer();
      if (victim !== 0) client = await startClient();
    });
    // On a busy machine, each client may have been killed before it kept a reading.
    await untilTrue(() => kept.length + client.said.length > 0);
    await endClient();
    client = await startClient("drain");
    await client.ended;
    return { kept, rounds };
  } finally {
    await Promise.all([client.kill(), server.kill()]);
  }
}

/** Kills client and server at any point. Each reading that the client kept must arrive exactly once. */
export async function killClientAndServer(options: AttackOptions, mode = "") {
  const findings = createFindings("client-crash", options);
  const storage = await createStorage("sqlite");
  const programs = {
    server: await bundleProgram(serverProcess),
    client: await bundleProgram(clientProcess),
  };
  try {
    const folder = dirname(storage.place ?? "");
    const { kept, rounds } = await killBoth(options, programs, folder, mode);
    const store = await storage.open();
    const stored = await readStored(store, "gw-1");
    await store.close();
    const arrived = new Set(stored);
    if (kept.length === 0) findings.add("the client kept no reading");
    const lost = kept.filter((reading) => !arrived.has(reading));
    if (lost.length > 0)
      findings.add(`${lost.length} kept readings never arrived, first ${lost[0]}`);
    const twice = stored.length - arrived.size;
    if (twice > 0) findings.add(`${twice} readings arrived twice`);
    const what = `client and server killed while ${kept.length} readings were kept and ${stored.length} arrived`;
    const result = `${lost.length} lost, ${twice} twice`;
    const lines = [{ what, rounds, result, bar: "0 lost, 0 twice" }];
    return { name: "client-crash sqlite", lines, violations: findings.violations };
  } finally {
    await storage.remove();
  }
}

/** Runs on SQLite only: memory does not survive a kill, and Postgres is a separate process. */
export const clientCrash: Attack = async (options) =>
  options.store === "sqlite"
    ? killClientAndServer(options)
    : { name: `client-crash ${options.store}`, lines: [], violations: [] };
