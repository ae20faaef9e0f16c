import { createHash } from "node:crypto";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { describeArtifactConformance } from "@device-gateway/testing";
import { Client } from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from "vitest";
import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "../testing/shared-database.js";

let database: SharedDatabase;
beforeAll(async () => {
  database = await openSharedDatabase(inject("postgresUrl"));
});
afterAll(() => database.remove());

describeArtifactConformance("Postgres", {
  async open() {
    await database.empty();
    const open = () => openPostgresStore({ url: database.url, poolSize: 3 });
    const [a, b] = [await open(), await open()];
    return {
      handles: [a.artifacts, b.artifacts],
      dispose: async () => {
        await a.close();
        await b.close();
      },
    };
  },
});

describe("pieces of abandoned uploads", () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let store: PostgresStore;
  let other: Client;
  beforeEach(async () => {
    await database.empty();
    vi.clearAllMocks();
    store = await openPostgresStore({ url: database.url, poolSize: 3, logger });
    other = new Client({ connectionString: database.url });
    await other.connect();
  });
  afterEach(async () => {
    await other.query("DROP TRIGGER IF EXISTS watch ON device_gateway.artifact_pieces");
    await other.end();
    await store.close();
  });

  /** The SHA-256 of no bytes. */
  const sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  async function* content(...pieces: string[]) {
    for (const piece of pieces) yield new TextEncoder().encode(piece);
  }
  const upload = () => store.artifacts.write({ expected: { sha256, size: 0 }, content: content() });
  const stored = { kind: "stored" };
  const isThere = async (name: string) =>
    (await store.artifacts.open({ sha256: name, start: 0, end: 0 })) !== null;

  const leave = (pieces: number) =>
    other.query(`WITH left_over AS (
        INSERT INTO device_gateway.artifact_uploads
        VALUES (gen_random_uuid(), now() - interval '11 minutes') RETURNING upload
      )
      INSERT INTO device_gateway.artifact_pieces SELECT upload, n, 'x'
      FROM left_over, generate_series(1, ${pieces}) AS n`);
  const refuseDeletion = () =>
    other.query(`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'not now' USING ERRCODE = 'lock_not_available'; END $$;
      CREATE TRIGGER watch BEFORE DELETE ON device_gateway.artifact_pieces FOR EACH ROW
      EXECUTE FUNCTION pg_temp.refuse()`);
  const allowDeletion = () => other.query("DROP TRIGGER watch ON device_gateway.artifact_pieces");

  async function count(table: "artifact_pieces" | "artifact_uploads") {
    const { rows } = await other.query(`SELECT count(*)::int AS n FROM device_gateway.${table}`);
    return (rows[0] as { n: number }).n;
  }

  it("are deleted in steps, and their upload after them", async () => {
    await leave(450);
    await other.query(`CREATE FUNCTION pg_temp.check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM gone) > 200 THEN RAISE 'too many at once'; END IF;
        IF NOT EXISTS (SELECT FROM device_gateway.artifact_uploads) THEN RAISE 'whose?'; END IF;
        RETURN NULL; END $$;
      CREATE TRIGGER watch AFTER DELETE ON device_gateway.artifact_pieces
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.check()`);
    expect(await upload()).toEqual(stored);
    expect(await count("artifact_pieces")).toBe(0);
    expect(await count("artifact_uploads")).toBe(0);
  });

  it("do not block uploads while they cannot be deleted", async () => {
    await leave(3);
    await refuseDeletion();
    expect(await upload()).toEqual(stored);
    expect(await isThere(sha256)).toBe(true);
    expect(logger.warn.mock.calls).toEqual([
      [{ err: expect.any(StoreUnavailableError) }, expect.stringMatching(/pieces/)],
    ]);
    expect(await count("artifact_pieces")).toBe(3);
  });

  it("are deleted with the next upload if they could not be deleted at once", async () => {
    await refuseDeletion();
    const expected = { sha256, size: 3 };
    const refused = await store.artifacts.write({ expected, content: content("abc") });
    expect(refused).toEqual({ kind: "mismatch", reason: "sha256" });
    expect(await count("artifact_pieces")).toBe(1);
    await allowDeletion();
    expect(await upload()).toEqual(stored);
    expect(await count("artifact_pieces")).toBe(0);
    expect(await count("artifact_uploads")).toBe(0);
  });

  it("accept no more pieces and become no image once the upload is abandoned", async () => {
    // Another upload marks this one as given up after its first piece, but cannot delete the piece
    // yet.
    async function* late(...pieces: string[]) {
      yield* content("x".repeat(65_536));
      await other.query(
        "UPDATE device_gateway.artifact_uploads SET last_piece_at = now() - interval '11 minutes'",
      );
      expect(await upload()).toEqual(stored);
      yield* content(...pieces);
    }
    await refuseDeletion();
    for (const rest of ["", "more"]) {
      const image = "x".repeat(65_536) + rest;
      const expected = {
        sha256: createHash("sha256").update(image).digest("hex"),
        size: image.length,
      };
      const writing = store.artifacts.write({ expected, content: late(rest) });
      await expect(writing).rejects.toThrow(/abandoned/);
      expect(await isThere(expected.sha256)).toBe(false);
    }
    await allowDeletion();
    expect(await upload()).toEqual(stored);
    expect(await count("artifact_uploads")).toBe(0);
  });
});
