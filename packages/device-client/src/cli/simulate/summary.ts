import { formatCount } from "../format-count.js";
import type { FleetStats } from "./fleet-stats.js";
import { formatNumber } from "./format-number.js";

/** The progress of a run. `endsAtSeconds` is null until the whole fleet is registered. */
export interface Progress {
  readonly seconds: number;
  readonly endsAtSeconds: number | null;
  readonly devices: number;
}

/** Describes the progress in one line. */
export function describeProgress(
  stats: FleetStats,
  { seconds, endsAtSeconds, devices }: Progress,
): string {
  const { registered, updated, rolledBack, registrationProblem } = stats;
  const registering = `registering ${formatNumber(registered)} of ${formatNumber(devices)}`;
  if (endsAtSeconds === null && registrationProblem !== null)
    return `${registering}: ${registrationProblem}`;
  const parts = [
    endsAtSeconds === null
      ? registering
      : `${Math.round(seconds)} of ${Math.round(endsAtSeconds)} s`,
    `${formatNumber(stats.accepted + stats.duplicates)} of ${formatNumber(stats.recorded)} readings stored`,
    `${formatNumber(Math.round(stats.requests / Math.max(1, seconds)))} requests/s`,
    `${formatNumber(stats.retries)} retries`,
    `${formatNumber(stats.powerCuts)} power cuts`,
  ];
  if (updated + rolledBack > 0)
    parts.push(`${formatNumber(updated)} updated, ${formatNumber(rolledBack)} rolled back`);
  return parts.join(" · ");
}

const megabytes = (bytes: number) => `${formatNumber(Math.round(bytes / 100_000) / 10)} MB`;

/** A finished run with the ids of its gateways. */
interface Finished extends Progress {
  readonly ids: readonly string[];
}

function describeRegistration({ registered, registrationSeconds }: FleetStats, run: Finished) {
  const within = registrationSeconds === null ? "" : ` within ${Math.ceil(registrationSeconds)} s`;
  const ids = [...new Set([run.ids[0], run.ids.at(-1)])].join(" to ");
  return `${formatNumber(registered)} of ${formatNumber(run.devices)} registered${within}: ${ids}`;
}

/** Returns the result of a run as rows of a name and a sentence. */
export function summarize(stats: FleetStats, run: Finished): [string, string][] {
  const { seconds } = run;
  const { accepted, duplicates, recorded } = stats;
  const failed = stats.crashed + stats.failedSelfTests;
  return [
    ["gateways", describeRegistration(stats, run)],
    [
      "readings",
      `${formatNumber(recorded)} recorded, ${formatNumber(accepted + duplicates)} stored, ${formatNumber(stats.waiting)} waiting; ${formatNumber(stats.repeated)} sent again on purpose`,
    ],
    [
      "network",
      `${formatNumber(stats.requests)} requests in ${formatNumber(Math.round(seconds))} s, ${formatNumber(stats.lost)} lost on purpose, ${formatNumber(stats.retries)} retries`,
    ],
    ["power", `${formatNumber(stats.powerCuts)} cuts`],
    [
      "firmware",
      stats.offeredWithoutKey > 0
        ? `offered to ${formatCount(stats.offeredWithoutKey, "gateway")}, which cannot install it without --key`
        : `${formatNumber(stats.updated)} updated, ${formatNumber(stats.rolledBack)} rolled back; ${formatNumber(failed)} starts of bad images (${formatNumber(stats.crashed)} crashed, ${formatNumber(stats.failedSelfTests)} failed their self-test); ${megabytes(stats.downloaded)} downloaded`,
    ],
  ];
}
