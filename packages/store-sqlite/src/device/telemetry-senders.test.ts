import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../migrations/migrate.js";
import { prepareTelemetrySenders } from "./telemetry-senders.js";

function open() {
  const database = new Database(":memory:");
  migrate(database as never);
  const columns = database
    .prepare<[], { name: string; type: string; notnull: number }>(
      "SELECT name, type, [notnull] FROM pragma_table_info('devices')",
    )
    .all()
    .filter(({ notnull }) => notnull);
  const names = columns.map(({ name }) => name).join(", ");
  const addDevice = (deviceId: string) => {
    const values = columns.map(({ name, type }) =>
      name === "device_id" ? deviceId : type === "TEXT" ? "{}" : 0,
    );
    database
      .prepare(`INSERT INTO devices (${names}) VALUES (${values.map(() => "?").join(", ")})`)
      .run(values);
  };
  return { database, addDevice, senders: prepareTelemetrySenders(database as never) };
}

test.each(["recordRecords", "recordContact"] as const)(
  "a number assigned (%s) in a rolled-back transaction is free for another device",
  (first) => {
    const { database, addDevice, senders } = open();
    addDevice("a");
    addDevice("b");
    const transact = database.transaction((work: () => void) => {
      senders.begin();
      work();
    });
    const fails = () =>
      transact(() => {
        senders[first]("a", 1);
        senders.recordRecords("a", 2);
        throw new Error("The disk is full.");
      });
    expect(fails).toThrow("full");
    const numbers = new Set<number | undefined>();
    transact(() => numbers.add(senders.recordRecords("b", 3)));
    transact(() => numbers.add(senders.recordRecords("a", 4)));
    transact(() => numbers.add(senders.recordRecords("a", 5)));
    expect(numbers.size).toBe(2);
    expect(database.prepare("SELECT * FROM telemetry_senders ORDER BY last_at").all()).toEqual([
      { device: [...numbers][0], last_at: 3 },
      { device: [...numbers][1], last_at: 5 },
    ]);
  },
);

test("a deleted device is unknown, even if it was cached", () => {
  const { database, addDevice, senders } = open();
  addDevice("a");
  senders.begin();
  const number = senders.recordRecords("a", 1);
  senders.begin();
  expect(senders.recordRecords("a", 2)).toBe(number);
  database.exec("DELETE FROM devices");
  expect(senders.recordRecords("a", 3)).toBeUndefined();
  expect(senders.recordContact("a", 3)).toBeUndefined();
});

test("a clock that is set back does not change the time", () => {
  const { database, addDevice, senders } = open();
  addDevice("a");
  for (const now of [5, 9, 7]) {
    senders.begin();
    senders.recordRecords("a", now);
  }
  expect(database.prepare("SELECT last_at FROM telemetry_senders").pluck().all()).toEqual([9]);
});
