import type { Socket } from "node:net";
import { Client } from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { copyRows } from "./copy-rows.js";

async function connect() {
  const client = new Client(inject("postgresUrl"));
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  return { client, stream };
}

it("waits for a slow target again and again, and leaves no listener on its socket", async () => {
  const [source, target] = [await connect(), await connect()];
  // The check is slow, so that the socket fills.
  const check = "CHECK (md5(repeat(text, 20)) <> '')";
  await target.client.query(`CREATE TEMPORARY TABLE copied (text text ${check})`);
  const before = target.stream.eventNames().map((name) => target.stream.listenerCount(name));
  const rows = "SELECT repeat('x', 1000) FROM generate_series(1, 30000)";
  const to = "COPY copied FROM STDIN";
  await copyRows(source.client, `COPY (${rows}) TO STDOUT`, target.client, to);
  const { rows: found } = await target.client.query("SELECT count(*)::integer FROM copied");
  expect(found).toEqual([{ count: 30_000 }]);
  const after = target.stream.eventNames().map((name) => target.stream.listenerCount(name));
  expect(after).toEqual(before);
});

it("rejects if the source ends, and the target then accepts further statements", async () => {
  const [source, target, other] = [await connect(), await connect(), await connect()];
  await target.client.query("CREATE TEMPORARY TABLE copied (n integer)");
  await target.client.query("BEGIN");
  const { rows: found } = await source.client.query("SELECT pg_backend_pid() AS pid");
  const rows = "SELECT n FROM generate_series(1, 3) n, LATERAL (SELECT pg_sleep(n * 60)) AS pause";
  const copying = copyRows(
    source.client,
    `COPY (${rows}) TO STDOUT`,
    target.client,
    "COPY copied FROM STDIN",
  );
  const active =
    "SELECT FROM pg_stat_activity WHERE query LIKE 'COPY (%' AND state = 'active' AND pid = $1";
  const pid = [found[0].pid];
  await expect.poll(async () => (await other.client.query(active, pid)).rowCount).toBe(1);
  // The copy may end before the response to the query that ends it.
  const rejected = expect(copying).rejects.toThrow("terminating connection");
  await other.client.query("SELECT pg_terminate_backend($1)", pid);
  await rejected;
  await target.client.query("ROLLBACK");
  const { rowCount } = await target.client.query("SELECT FROM copied");
  expect(rowCount).toBe(0);
});
