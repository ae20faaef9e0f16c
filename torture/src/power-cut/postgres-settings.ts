import { openPostgresStore } from "@device-gateway/store-postgres";
import { askOn, runOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { type AttackOptions, createFindings } from "../attack.js";
import type { Report } from "../report.js";
import { createStorage } from "../storage.js";

const settings = ["fsync", "synchronous_commit"] as const;

/** Opens the store and returns the error lines that it logs. */
async function readErrors(url: string): Promise<string[]> {
  const lines: string[] = [];
  const silent = () => {};
  const error = (_: object, message: string) => void lines.push(message);
  const logger = { debug: silent, info: silent, warn: silent, error };
  await (await openPostgresStore({ url, logger })).close();
  return lines;
}

/** Checks that the store logs an error when Postgres may lose committed data, and only then. */
export async function checkPostgresSettings(options: AttackOptions): Promise<Report> {
  const findings = createFindings("power-cut", options);
  const storage = await createStorage("postgres");
  const url = storage.place ?? "";
  const name = new URL(url).pathname.slice(1);
  for (const value of ["on", "off"] as const) {
    await runOn(url, `ALTER DATABASE ${name} SET synchronous_commit = ${value}`);
    const lines = await readErrors(url);
    const isReported = lines.some((line) => line.includes("synchronous_commit"));
    if (isReported !== (value === "off"))
      findings.add(`synchronous_commit = ${value}: ${isReported ? "reported" : "not reported"}`);
  }
  // The tests' own server runs without fsync. A server from TEST_DATABASE_URL may have it.
  const lines = await readErrors(url);
  const isReported = lines.some((line) => line.includes("fsync"));
  const [{ fsync } = { fsync: "" }] = await askOn<{ fsync: string }>(url, "SHOW fsync");
  if (isReported !== (fsync === "off"))
    findings.add(`fsync = ${fsync}: ${isReported ? "reported" : "not reported"}`);
  await storage.remove();
  const { violations } = findings;
  const what = `${settings.join(", ")} off${fsync === "off" ? "" : " (this server has fsync on)"}`;
  const result = `${violations.length} reported wrongly`;
  return {
    name: "power-cut postgres",
    lines: [{ what, rounds: 3, result, bar: "an error line" }],
    violations,
  };
}
