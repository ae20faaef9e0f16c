import type { Socket } from "node:net";
import { Client } from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { copyRows } from "./copy-rows.js";

async function connect() {
  const client = new Client(inject("postgresUrl"));
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
