import { openPostgresStore } from "@device-gateway/store-postgres";
import { runOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { type AttackOptions, createFindings } from "../attack.js";
import type { Report } from "../report.js";
import { createStorage } from "../storage.js";

const settings = ["fsync", "synchronous_commit"] as const;

async function hearErrors(url: string): Promise<string[]> {
  const heard: string[] = [];
  const silent = () => {};
  const error = (_: object, message: string) => void heard.push(message);
  const logger = { debug: silent, info: silent, warn: silent, error };
  await (await openPostgresStore({ url, logger })).close();
  return heard;
}

/** A Postgres that forgets what it committed is told of at the start, and one that does not isn't. */
export async function tellsOfForgetfulServers(options: AttackOptions): Promise<Report> {
  const findings = createFindings("power-cut", options);
  const storage = await createStorage("postgres");
  const url = storage.place ?? "";
  const name = new URL(url).pathname.slice(1);
  for (const value of ["on", "off"] as const) {
    await runOn(url, `ALTER DATABASE ${name} SET synchronous_commit = ${value}`);
    const heard = await hearErrors(url);
    const told = heard.some((line) => line.includes("synchronous_commit"));
    if (told !== (value === "off")) findings.add(`synchronous_commit = ${value}: told ${told}`);
  }
  // The server of the tests runs without fsync; one that was named may do better.
  const heard = await hearErrors(url);
  const fsync = heard.some((line) => line.includes("fsync"));
  await storage.remove();
  const { violations } = findings;
  const what = `${settings.join(", ")} off${fsync ? "" : " (this server has fsync on)"}`;
  const result = `${violations.length} not told`;
  return {
    name: "power-cut postgres",
    lines: [{ what, rounds: 3, result, bar: "told loudly" }],
    violations,
  };
}
