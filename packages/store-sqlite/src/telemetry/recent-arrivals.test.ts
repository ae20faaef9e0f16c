import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Database } from "../database/database.js";
import { createRecentArrivals } from "./recent-arrivals.js";

const limits = { step: 5, generation: 8 };

function openArrivals() {
  const database = new Sqlite(":memory:");
  database.exec("CREATE TABLE telemetry (position INTEGER PRIMARY KEY, device INTEGER)");
  const insert = database.prepare("INSERT INTO telemetry (device) VALUES (?)");
  return {
    recent: createRecentArrivals(database as unknown as Database, limits),
    add: (device: number) => Number(insert.run(device).lastInsertRowid),
  };
}

test("finds the records of each device after a position, or says that the position is too far back", () => {
  const batches = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 7 }));
  fc.assert(
    fc.property(batches, (sent) => {
      const { recent, add } = openArrivals();
      const all: { position: number; device: number }[] = [];
      for (const batch of sent) {
        for (const device of batch) all.push({ position: add(device), device });
        for (const device of [1, 2, 3]) {
          for (let after = 0; after <= all.length; after++) {
            const found = recent.after(device, after, all.length);
            if (found === null) expect(after).toBeLessThan(all.length - limits.step);
            const later = all.filter((one) => one.device === device && one.position > after);
            if (found !== null) expect(found).toEqual(later.map(({ position }) => position));
          }
        }
      }
    }),
  );
});

test("remembers more than one generation of records that arrive a few at a time", () => {
  const { recent, add } = openArrivals();
  for (let n = 0; n < 40; n++) recent.after(1, 0, add(1 + (n % 2)));
  expect(recent.after(1, 31, 40)).toEqual([33, 35, 37, 39]);
  expect(recent.after(1, 20, 40)).toBeNull();
});

test("starts again if the last position is lower than before, as in a restored file", () => {
  const { recent, add } = openArrivals();
  for (let n = 0; n < 4; n++) add(1);
  expect(recent.after(1, 0, 4)).toEqual([1, 2, 3, 4]);
  expect(recent.after(1, 1, 3)).toEqual([2, 3]);
  expect(recent.after(1, 1, 4)).toEqual([2, 3, 4]);
});
