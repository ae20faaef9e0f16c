import { type NewRelease, type Release, releaseColumnNames } from "@device-gateway/core/store";
import type { Bits } from "../database/to-bits.js";

/** A row of `releases`. */
export type ReleaseRow = Bits<Release>;

const names = Object.keys(releaseColumnNames) as (keyof NewRelease)[];

/** The column list of a SELECT that returns `ReleaseRow`s. */
export const releaseColumns: string = [
  "id",
  "revision",
  ...names.map((name) => `${releaseColumnNames[name]} AS ${name}`),
].join(", ");

/** The INSERT of a `NewRelease`, as `toBits` returns it. */
export const insertRelease: string = `INSERT INTO releases (revision, ${Object.values(releaseColumnNames).join(", ")})
  VALUES (1, ${names.map((name) => `@${name}`).join(", ")})`;

export const toRelease = (row: ReleaseRow): Release => ({
  ...row,
  mandatory: row.mandatory === 1,
  hasImage: row.hasImage === 1,
});
