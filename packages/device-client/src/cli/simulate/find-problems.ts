import { describeReason } from "../../update/describe-reason.js";
import type { Refusal } from "../../update/machine/update-event.js";
import { formatCount } from "../format-count.js";
import type { FleetStats } from "./fleet-stats.js";

const wrongKey: readonly Refusal[] = ["wrong_algorithm", "invalid_signature"];

const explain = "To see why: device-gateway firmware explain RELEASE DEVICE";

function adviseAfter(refusal: Refusal): string {
  const passKey = "Pass the public key of its signer as --key.";
  if (refusal === "unknown_key")
    return `${passKey} Name the file after the id of the key: KEY-ID.public.pem.`;
  return wrongKey.includes(refusal) ? passKey : "Publish an image that the gateways can install.";
}

function findReadingProblems(stats: FleetStats): string[] {
  const { recorded, accepted, duplicates, rejected, rejection, waiting, storedTwice } = stats;
  const problems: string[] = [];
  const arrived = accepted + duplicates;
  if (waiting > 0)
    problems.push(
      `${formatCount(waiting, "reading")} never reached the server. Check that the server is running.`,
    );
  else if (arrived !== recorded)
    problems.push(
      `The gateways recorded ${formatCount(recorded, "reading")}, but ${arrived.toLocaleString("en-US")} arrived. Look for errors in the log of the server.`,
    );
  if (rejected > 0)
    problems.push(`The server rejected ${formatCount(rejected, "reading")}. ${rejection}`);
  if (storedTwice > 0)
    problems.push(
      `The server stored ${formatCount(storedTwice, "reading")} twice. Look for errors in the log of the server.`,
    );
  return problems;
}

function findFirmwareProblems(stats: FleetStats): string[] {
  const problems: string[] = [];
  for (const [code, gateways] of stats.refusedFirmware)
    problems.push(
      `${formatCount(gateways, "gateway")} refused the firmware: ${describeReason({ code })}. ${adviseAfter(code)}`,
    );
  for (const [reason, updates] of stats.failedUpdates)
    problems.push(`${formatCount(updates, "update")} failed: ${reason}. ${explain}`);
  if (stats.stuckOnBadFirmware > 0)
    problems.push(
      `${formatCount(stats.stuckOnBadFirmware, "gateway")} stayed on bad firmware. Pass a longer --duration, so that a roll-back can end.`,
    );
  return problems;
}

/** Returns sentences for each problem: lost, repeated or rejected readings, firmware, errors. */
export function findProblems(stats: FleetStats): string[] {
  const errors = [...stats.errors].map(
    ([code, { times, message }]) =>
      `The error ${code} occurred ${formatCount(times, "time")}: ${message}`,
  );
  return [...findReadingProblems(stats), ...findFirmwareProblems(stats), ...errors];
}

/** A gateway at the end of a run. */
interface Ended {
  /** The version that it runs. */
  readonly firmware: string;
}

/** Returns the problem if a gateway does not run the expected version. */
export function findOtherVersions(fleet: readonly Ended[], expected: string | null): string[] {
  const others = fleet.filter(({ firmware }) => expected !== null && firmware !== expected);
  if (others.length === 0) return [];
  const versions = [...new Set(others.map(({ firmware }) => firmware))].join(", ");
  return [
    `${fleet.length - others.length} of ${formatCount(fleet.length, "gateway")} run ${expected}. The others run ${versions}. ${explain}`,
  ];
}
