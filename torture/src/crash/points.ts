import type { SourceChange } from "../../../scripts/bundle-programs.js";

/** A point at which the server kills itself. The changes below call `killAt` with the point's name there. */
export interface Point {
  readonly name: string;
  /** The server dies the n-th time that it reaches the point. This is the largest n. */
  readonly upTo: number;
  /** What the server does meanwhile. Default: serves load and runs maintenance. */
  readonly scene?: "images" | "migration" | "retention";
  /** An operation on a file instead of a place in the source. `disk.c` lists the kinds. */
  readonly disk?: { readonly kind: string; readonly file: string };
}

const inSqlite = (file: string) => new RegExp(`store-sqlite/src/(.*/)?${file}\\.ts$`);
const inPostgres = (file: string) => new RegExp(`store-postgres/src/(.*/)?${file}\\.ts$`);

const killAt = (name: string) => `globalThis.killAt(${JSON.stringify(name)});`;

/**
 * The changes that add the kill points while the server is bundled. The product itself has none. If a
 * change does not match, the attack stops with an error that names the point and the file.
 */
export const killPoints: readonly SourceChange[] = [
  {
    name: "after commit, before commit",
    file: inSqlite("connection"),
    from: "immediately.immediate(work) as Outcome",
    to: `((outcome) => { ${killAt("after commit")} return outcome; })(immediately.immediate(() => {
      const outcome = work(); ${killAt("before commit")} return outcome; })) as Outcome`,
  },
  {
    name: "migration",
    file: inSqlite("migrate"),
    from: "database.exec(migration);",
    to: `database.exec(migration); ${killAt("migration")}`,
  },
  {
    name: "after migration",
    file: inSqlite("migrate"),
    from: "database.transaction(() => migrateOnce(database)).immediate();",
    to: `database.transaction(() => migrateOnce(database)).immediate(); ${killAt("after migration")}`,
  },
  {
    name: "retention",
    file: inSqlite("telemetry-retention"),
    from: "duplicates.dropBefore(receivedBefore);",
    to: `duplicates.dropBefore(receivedBefore); if (changes > 0) ${killAt("retention")}`,
  },
  {
    name: "roll-up",
    file: inSqlite("telemetry-rollup"),
    from: "write(hour);\n",
    to: `write(hour); ${killAt("roll-up")}\n`,
  },
  {
    name: "before artifact rename, after artifact rename",
    file: /core\/src\/node\/files\/file-artifact-store\.ts$/,
    from: "await asStoreError(() => rename(temporaryPath, path));",
    to: `${killAt("before artifact rename")} await asStoreError(() => rename(temporaryPath, path));
      ${killAt("after artifact rename")}`,
  },
  {
    name: "before commit, during commit, after commit",
    file: inPostgres("connection"),
    from: 'const { command } = await client.query("COMMIT");',
    to: `${killAt("before commit")} const sent = client.query("COMMIT");
      setImmediate(() => { ${killAt("during commit")} }); const { command } = await sent; ${killAt("after commit")}`,
  },
  {
    name: "migration",
    file: inPostgres("migrate"),
    from: "for (const text of migrations.slice(from).flatMap(splitStatements)) await client.query(text);",
    to: `for (const text of migrations.slice(from).flatMap(splitStatements)) { await client.query(text); ${killAt("migration")} }`,
  },
  {
    name: "after migration",
    file: inPostgres("migrate"),
    from: 'await client.query("COMMIT");',
    to: `await client.query("COMMIT"); ${killAt("after migration")}`,
  },
  {
    name: "retention",
    file: inPostgres("telemetry-retention"),
    from: "countOf(await deleteOld(session, { ...span, receivedBefore, limit }))",
    to: `((count) => { if (count > 0) ${killAt("retention")} return count; })(
      countOf(await deleteOld(session, { ...span, receivedBefore, limit })))`,
  },
  {
    name: "roll-up",
    file: inPostgres("telemetry-rollup"),
    from: "else await write(session, begun, { ...hour, shape: numbers[n] ?? null });",
    to: `else await write(session, begun, { ...hour, shape: numbers[n] ?? null }); ${killAt("roll-up")}`,
  },
  {
    name: "before artifact rename, after artifact rename",
    file: inPostgres("artifact-store"),
    from: "const named = await nameImage(session, { upload, sha256, size });",
    to: `${killAt("before artifact rename")} const named = await nameImage(session, { upload, sha256, size });
      ${killAt("after artifact rename")}`,
  },
];

const everywhere: readonly Point[] = [
  { name: "before commit", upTo: 40 },
  { name: "after commit", upTo: 40 },
  { name: "migration", upTo: 2, scene: "migration" },
  { name: "after migration", upTo: 1, scene: "migration" },
  { name: "retention", upTo: 1, scene: "retention" },
  { name: "roll-up", upTo: 12 },
  { name: "before artifact rename", upTo: 3, scene: "images" },
  { name: "after artifact rename", upTo: 3, scene: "images" },
];

export const points: Readonly<Record<"sqlite" | "postgres", readonly Point[]>> = {
  sqlite: [
    ...everywhere,
    { name: "checkpoint", upTo: 60, disk: { kind: "W", file: "gateway.db" } },
    { name: "sync of a checkpoint", upTo: 1, disk: { kind: "S", file: "gateway.db" } },
  ],
  postgres: [...everywhere, { name: "during commit", upTo: 40 }],
};
