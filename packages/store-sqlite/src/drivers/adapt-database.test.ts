import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { adaptDatabase, type NativeDatabase } from "./adapt-database.js";

function openNumbers() {
  const database = adaptDatabase(new Sqlite(":memory:") as unknown as NativeDatabase);
  database.exec("CREATE TABLE numbers (n INTEGER)");
  const add = database.prepare<[number], void>("INSERT INTO numbers VALUES (?)");
  const numbers = () => database.prepare<[], number>("SELECT n FROM numbers").pluck().all();
  const insert = database.transaction((n: number, fails: boolean) => {
    add.run(n);
    if (fails) throw new Error("It fails.");
  });
  return { database, add, insert, numbers };
}

test("a nested transaction that fails is undone, and the outer one can commit", () => {
  const { database, add, insert, numbers } = openNumbers();
  database.transaction(() => {
    add.run(1);
    insert(2, false);
    expect(() => insert(3, true)).toThrow("It fails.");
  })();
  expect(numbers()).toEqual([1, 2]);
});

test("a transaction that fails undoes those in it", () => {
  const { database, insert, numbers } = openNumbers();
  const outer = database.transaction(() => {
    insert(1, false);
    throw new Error("It fails.");
  });
  expect(() => outer()).toThrow("It fails.");
  expect(numbers()).toEqual([]);
});
