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
  ])("is accepted: %s", (url) => {
    expect(problemsOf(url)).toEqual([]);
  });
});
