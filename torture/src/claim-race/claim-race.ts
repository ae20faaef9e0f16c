import { type Attack, createFindings } from "../attack.js";
import type { ReportLine } from "../report.js";
import { raceHttp, raceHttpProcesses } from "./http-race.js";
import { raceAcrossProcesses, racePort } from "./port-race.js";

/** Sends 200 claims at once. Exactly one must win and own the device; all others must get `already_claimed`. */
export const claimRace: Attack = async (options) => {
  const findings = createFindings("claim-race", options);
  const lines: ReportLine[] = [];
  const withProcesses = options.long === true && options.store !== "memory";
  const races = [
    { what: "at the port, two handles", run: racePort, wanted: true },
    { what: "at the port, four processes", run: raceAcrossProcesses, wanted: withProcesses },
    { what: "over HTTP, two gateways", run: raceHttp, wanted: true },
    { what: "over HTTP, four processes", run: raceHttpProcesses, wanted: withProcesses },
  ];
  for (const { what, run, wanted } of races) {
    if (!wanted || findings.hasEnough()) continue;
    const before = findings.violations.length;
    const rounds = await run(options, findings);
    const result = `${findings.violations.length - before} violations`;
    lines.push({ what: `200 claimants ${what}`, rounds, result, bar: "one winner each" });
  }
  return { name: `claim-race ${options.store}`, lines, violations: findings.violations };
};
