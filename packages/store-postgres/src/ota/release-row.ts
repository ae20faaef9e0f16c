import { type NewRelease, releaseColumnNames } from "@device-gateway/core/store";

const names = Object.keys(releaseColumnNames) as (keyof NewRelease)[];

/** The column list of a SELECT that returns releases. */
export const releaseColumns: string = [
  "id",
  "revision",
  ...names.map((name) => `${releaseColumnNames[name]} AS "${name}"`),
].join(", ");

/** The INSERT of a copy of a release, or its UPDATE if the copy has an earlier revision. */
export const copyRelease: string = `
  INSERT INTO device_gateway.releases (id, revision, ${Object.values(releaseColumnNames).join(", ")})
  OVERRIDING SYSTEM VALUE
  VALUES (@id, @revision, ${names.map((name) => `@${name}`).join(", ")})
  ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, ${Object.values(releaseColumnNames)
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}
  WHERE releases.revision < excluded.revision RETURNING id`;

/** The INSERT of a `NewRelease`. It inserts nothing if another release has the version. */
export const insertRelease: string = `
  INSERT INTO device_gateway.releases (revision, ${Object.values(releaseColumnNames).join(", ")})
  VALUES (1, ${names.map((name) => `@${name}`).join(", ")})
  ON CONFLICT (target_hardware, version) WHERE status <> 'withdrawn' OR activated_at IS NOT NULL
  DO NOTHING RETURNING id`;
