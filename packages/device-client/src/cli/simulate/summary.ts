import { count } from "./count.js";
import type { Tally } from "./tally.js";

/** Where a run is: `endsAtSeconds` is null until the whole fleet is registered. */
export interface Moment {
  readonly seconds: number;
  readonly endsAtSeconds: number | null;
  readonly devices: number;
}

/** How it goes, in one line. */
export function describeMoment(tally: Tally, { seconds, endsAtSeconds, devices }: Moment): string {
  const { registered, updated, rolledBack, trouble } = tally;
  const registering = `registering ${count(registered)} of ${count(devices)}`;
  if (endsAtSeconds === null && trouble !== null) return `${registering}: ${trouble}`;
  const parts = [
    endsAtSeconds === null
      ? registering
      : `${Math.round(seconds)} of ${Math.round(endsAtSeconds)} s`,
    `${count(tally.accepted + tally.duplicates)} of ${count(tally.recorded)} readings stored`,
    `${count(Math.round(tally.requests / Math.max(1, seconds)))} requests/s`,
    `${count(tally.retries)} retries`,
    `${count(tally.powerCuts)} power cuts`,
  ];
  if (updated + rolledBack > 0) parts.push(`${count(updated)} updated, ${count(rolledBack)} back`);
  return parts.join(" · ");
}

const megabytes = (bytes: number) => `${count(Math.round(bytes / 100_000) / 10)} MB`;

/** What came of a run: rows of a name and a sentence. */
export function summarize(tally: Tally, { seconds, devices }: Moment): [string, string][] {
  const { accepted, duplicates, recorded } = tally;
  const failed = tally.crashed + tally.failedSelfTests;
  return [
    ["gateways", `${count(tally.registered)} of ${count(devices)} registered`],
    [
      "readings",
      `${count(recorded)} made, ${count(accepted + duplicates)} stored, ${count(tally.waiting)} waiting; ${count(tally.repeated)} sent again on purpose`,
    ],
    [
      "network",
      `${count(tally.requests)} requests in ${count(Math.round(seconds))} s, ${count(tally.lost)} lost on purpose, ${count(tally.retries)} retries`,
    ],
    ["power", `${count(tally.powerCuts)} cuts`],
    [
      "firmware",
      tally.untaken > 0
        ? `offered to ${count(tally.untaken)} gateways, which take none without --key`
        : `${count(tally.updated)} updated, ${count(tally.rolledBack)} rolled back; ${count(failed)} starts of bad images (${count(tally.crashed)} crashed, ${count(tally.failedSelfTests)} failed their self-test); ${megabytes(tally.downloaded)} downloaded`,
    ],
  ];
}
