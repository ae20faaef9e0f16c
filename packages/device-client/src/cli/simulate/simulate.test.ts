import { createTestCloud } from "@device-gateway/core/test-cloud";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../testing/run-cli.js";
import { createTally, findFaults } from "./tally.js";

async function start() {
  const limits = { authPerMinute: 1_000_000, telemetryPerMinute: 1_000_000 };
  const cloud = await createTestCloud({ realTime: true, gateway: { limits } });
  onTestFinished(() => cloud.close());
  return { cloud, url: await cloud.listen() };
}

const fleet = ["--devices", "5", "--interval", "50ms", "--duration", "600ms"];

test("a fleet over HTTP loses nothing, and stores nothing twice", { timeout: 60_000 }, async () => {
  const { cloud, url } = await start();
  const words = ["simulate", "--url", url, ...fleet, "--profile", "hostile"];
  const { exitCode, out, err } = await runCli(words);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("Every reading arrived, each once.");

  const ids = new Set(
    cloud.seenOf("registerDevice").map(({ body }) => (body as { deviceId: string }).deviceId),
  );
  expect(ids.size).toBe(5);
  for (const deviceId of ids) {
    const records = (await cloud.records(deviceId)) as { n: number; repeated?: boolean }[];
    const numbers = records.filter(({ repeated }) => repeated === undefined).map(({ n }) => n);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
  }
});

test("what is lost or surprising is told, and shows in the exit code", () => {
  const fine = { ...createTally(), recorded: 10, accepted: 9, duplicates: 1 };
  expect(findFaults(fine)).toEqual([]);
  expect(findFaults({ ...fine, accepted: 8 })).toEqual(["10 readings were made, and 9 arrived."]);
  expect(findFaults({ ...fine, waiting: 2 })).toEqual(["2 readings never reached the server."]);
  expect(findFaults({ ...fine, rejected: 1 })).toEqual(["1 readings were rejected."]);
  expect(findFaults({ ...fine, surprises: new Map([["forbidden", 3]]) })).toEqual([
    "forbidden, 3 times.",
  ]);
});

test.each([
  [["--devices", "none"], "--devices"],
  [["--interval", "soon"], "--interval"],
  [["--profile", "cosy"], "--profile: there are steady, rough, hostile"],
])("%j is a wrong command line", async (words, sentence) => {
  const { exitCode, err } = await runCli(["simulate", "--url", "http://127.0.0.1:9", ...words]);
  expect(exitCode).toBe(2);
  expect(err).toContain(sentence);
});
