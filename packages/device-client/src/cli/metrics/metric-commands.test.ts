import { expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.js";
import { serveGateway } from "../../testing/serve-gateway.js";

async function setUp(token = "operator") {
  const { url } = await serveGateway([]);
  const environment = { DEVICE_GATEWAY_URL: url, DEVICE_GATEWAY_TOKEN: token };
  return (...args: string[]) => runCli(["metrics", ...args], { environment });
}

const rows = (out: string) => out.split("\n").map((line) => line.split(/ {2,}/));

test("§8 an operator sets, lists and removes how a metric is shown, with the command", async () => {
  const run = await setUp();
  const before = await run("list", "esp32");
  expect([before.exitCode, before.out]).toEqual([0, ""]);
  expect(before.err).toContain("No metric of this hardware is described.");

  const cell = ["esp32", "cells.*.voltage"];
  const made = await run("set", ...cell, "--name", "Cell *", "--unit", "V", "--decimals", "3");
  expect([made.exitCode, made.err]).toEqual([0, ""]);
  await run("set", "esp32", "soc", "--min=-0.5", "--max", "100");
  // The other fields stay. An empty value removes one.
  await run("set", ...cell, "--unit", "", "--max", "4");
  const { out } = await run("list", "esp32");
  expect(rows(out)).toEqual([
    ["metric", "name", "unit", "decimals", "min", "max", "set by"],
    ["cells.*.voltage", "Cell *", "3", "4", "operator"],
    ["soc", "-0.5", "100", "operator"],
  ]);
  const other = await run("list", "other board/2");
  expect(other.err).toContain("No metric of this hardware is described.");

  const { out: removed } = await run("remove", ...cell);
  expect(removed).toBe("cells.*.voltage: operators set nothing for esp32.");
  expect((await run("list", "esp32")).out).not.toContain("Cell *");
});

test.each([
  [["--decimals", "many"], '--decimals: "many" is not a number.', 2],
  [["--min", " "], '--min: " " is not a number.', 2],
  [[], "Pass at least one of --name, --unit, --decimals, --min, --max.", 2],
  [["--decimals", "12"], "soc.decimals", 1],
])("§8 metrics set with %j is refused, and the error says why", async (options, sentence, code) => {
  const run = await setUp();
  const { exitCode, err, out } = await run("set", "esp32", "soc", ...options);
  expect([exitCode, out]).toEqual([code, ""]);
  expect(err).toContain(sentence);
});

test("§8 the command says that only operators describe metrics", async () => {
  const run = await setUp("customer");
  const { exitCode, err } = await run("set", "esp32", "soc", "--unit", "%");
  expect(exitCode).toBe(1);
  expect(err).toContain("The token does not belong to an operator.");
});
