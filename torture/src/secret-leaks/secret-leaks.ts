import { type Attack, createFindings, runRounds } from "../attack.js";
import type { ReportLine } from "../report.js";
import { findSecrets } from "./find-secrets.js";
import { type Run, runLibrary } from "./library-run.js";
import { runServer } from "./server-run.js";

/**
 * Sends known secrets through every route, its errors and the accounts. Afterwards no log and no database
 * may contain any of them, in plain text or encoded.
 */
export const secretLeaks: Attack = async (options) => {
  const findings = createFindings("secret-leaks", options);
  const lines: ReportLine[] = [];
  const look = (
    what: string,
    { places, collected, markers, requests, broken }: Run,
    round: number,
  ) => {
    const secrets = [...collected.secrets.values()];
    for (const found of findSecrets(secrets, places)) findings.add(`${what}: ${found}`, round);
    for (const fault of broken) findings.add(`${what}: ${fault}`, round);
    for (const marker of markers) {
      if (!places.some(({ bytes }) => bytes.includes(marker))) {
        findings.add(
          `${what}: ${marker} must be found but was not, so the search misses a place`,
          round,
        );
      }
    }
    const bytes = places.reduce((sum, place) => sum + place.bytes.length, 0);
    const result = `${findings.violations.length} found in ${places.length} places, ${bytes.toLocaleString("en")} bytes`;
    lines.push({
      what: `${what}: ${secrets.length} secrets`,
      rounds: requests,
      result,
      bar: "none",
    });
  };
  await runRounds(options, { short: 1, long: 3 }, async (round) => {
    look("library", await runLibrary(options, round), round);
    // The bundled server cannot use memory.
    if (options.store !== "memory") look("bundled server", await runServer(options.store), round);
  });
  return { name: `secret-leaks ${options.store}`, lines, violations: findings.violations };
};
