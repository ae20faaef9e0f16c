import { describe, expect, it } from "vitest";
import { readSettings } from "./read-settings.js";

const problemsOf = (DATABASE_URL: string) => {
  const reading = readSettings({ DATABASE_URL });
  return reading.kind === "unusable" ? reading.problems : [];
};

describe("DATABASE_URL", () => {
  it.each([
    "postgres://postgres:postgres@db/gateway",
    "postgres://gateway:gateway@10.0.0.7:5432/gateway",
    "postgresql://app:app@db.example.com/gateway",
    "postgres://app:ChangeMe@db/gateway",
    "postgres://app:12345678@db/gateway",
  ])("with a well-known password is refused and never shown: %s", (url) => {
    expect(problemsOf(url)).toEqual([
      expect.stringMatching(/^DATABASE_URL has a well-known password\. .*ALTER ROLE/),
    ]);
    expect(problemsOf(url)[0]).not.toContain(url);
  });

  it.each(["postgres://u:100%sure@db.example/g", "postgres://%ff:x@db/g", "postgres://u@db/100%"])(
    "that cannot be decoded is refused and never shown: %s",
    (url) => {
      expect(problemsOf(url)).toEqual([
        expect.stringMatching(/^DATABASE_URL has a % .*Write % as %25/),
      ]);
      expect(problemsOf(url)[0]).not.toContain(url);
    },
  );

  it.each(["postgres://app@h1:5432,h2:5432/gateway", "postgres://app@h1,h2/gateway"])(
    "with several hosts is refused: %s",
    (url) => {
      expect(problemsOf(url)).toEqual([
        expect.stringMatching(/^DATABASE_URL must be .*, with one host: .* a proxy/),
      ]);
    },
  );

  it.each([
    "postgres://postgres:postgres@localhost/gateway",
    "postgres://postgres@127.0.0.1:5432/gateway",
    "postgres://app@db/gateway?sslcert=client.pem",
    "postgres://app:Zk3v-9xWq_7LmZ2pRb8N@db/gateway",
    "postgres://app:100%25sure@db/gateway",
  ])("is accepted: %s", (url) => {
    expect(problemsOf(url)).toEqual([]);
  });
});

describe("DATABASE_CELLS and DATABASE_CELL_URLS", () => {
  const DATABASE_URL = "postgres://app@db/gateway";
  const read = (environment: Readonly<Record<string, string>>) =>
    readSettings({ DATABASE_URL, ...environment });

  it("give a number of cells, and the databases of some of them", () => {
    expect(
      read({
        DATABASE_CELLS: "8",
        DATABASE_CELL_URLS: "4-6=postgres://a/x\n  7=postgres://b/x?y=1",
      }),
    ).toMatchObject({
      settings: {
        DATABASE_CELLS: 8,
        DATABASE_CELL_URLS: new Map([
          ...[4, 5, 6].map((cell): [number, string] => [cell, "postgres://a/x"]),
          [7, "postgres://b/x?y=1"],
        ]),
      },
    });
    expect(read({})).toMatchObject({ settings: { DATABASE_CELLS: 1 } });
  });

  it.each([
    [{ DATABASE_CELLS: "0" }, 'DATABASE_CELLS is "0", but must be a whole number from 1 to 64'],
    [{ DATABASE_CELLS: "8", DATABASE_URL: "" }, "no effect without DATABASE_URL"],
    [{ DATABASE_CELL_URLS: "0=postgres://a/x" }, "no effect without DATABASE_CELLS"],
    [
      { DATABASE_CELLS: "1", DATABASE_CELL_URLS: "0=postgres://a/x" },
      "no effect without DATABASE_CELLS",
    ],
    [{ DATABASE_CELLS: "8", DATABASE_CELL_URLS: "postgres://a/x" }, "must be entries such as 4-7="],
    [{ DATABASE_CELLS: "8", DATABASE_CELL_URLS: "7-4=postgres://a/x" }, "must be entries such as"],
    [{ DATABASE_CELLS: "8", DATABASE_CELL_URLS: "4=mysql://u:hunter2@a/x" }, "Each must be a URL"],
    [
      { DATABASE_CELLS: "8", DATABASE_CELL_URLS: "4=postgres://app:app@a/x" },
      "DATABASE_CELL_URLS has a well-known password",
    ],
    [
      { DATABASE_CELLS: "8", DATABASE_CELL_URLS: "1-4=postgres://a/x 3=postgres://b/x" },
      "names cell 3 twice",
    ],
    [
      { DATABASE_CELLS: "4", DATABASE_CELL_URLS: "2-5=postgres://a/x" },
      "names cell 4, but with DATABASE_CELLS=4 the cells are 0 to 3",
    ],
    [
      { DATABASE_CELLS: "8", DATABASE_CELL_URLS: "4=postgres://u:hunter2%@a/x" },
      "DATABASE_CELL_URLS has a % ",
    ],
    [{ DATABASE_CELLS: "4", DATABASE_READ_URL: DATABASE_URL }, "does not work with cells"],
  ])("that do not fit are refused: %j", (environment, sentence) => {
    const reading = read(environment);
    const problems = reading.kind === "unusable" ? reading.problems : [];
    expect(problems).toEqual([expect.stringContaining(sentence)]);
    expect(problems.join()).not.toContain("hunter2");
  });
});
