import { expect, test } from "vitest";
import type { Fetch } from "../call-route.js";
import { runCli } from "../testing/run-cli.js";
import { commands } from "./commands.js";

test("without a command, and with --help, the CLI lists its commands", async () => {
  for (const args of [[], ["--help"], ["-h"]]) {
    const { exitCode, out } = await runCli(args);
    expect(exitCode).toBe(0);
    for (const { name } of commands) expect(out).toContain(name);
  }
});

test("the help of every command names its options", async () => {
  for (const { name, options, operands } of commands) {
    const { exitCode, out } = await runCli([...name.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: device-gateway ${[name, ...operands].join(" ")}`);
    for (const option of Object.keys(options)) expect(out).toContain(`--${option}`);
  }
});

test("--version prints the version", async () => {
  const { exitCode, out } = await runCli(["--version"]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "9.8.7" });
  expect((await runCli([])).out).toContain("--version");
});

test.each([
  [["firmwear"], 'There is no command "firmwear"'],
  [["firmware", "publsh"], 'There is no command "firmware publsh"'],
  [["firmware"], "firmware publish IMAGE"],
  [["firmware", "publish"], "IMAGE is missing"],
  [["firmware", "publish", "a.bin", "b.bin"], 'The argument "b.bin" is not expected'],
  [["firmware", "publish", "a.bin", "--colour", "red"], "--colour"],
  [["firmware", "publish", "a.bin", "--version"], "--version"],
  [["firmware", "list"], "--url is missing. Pass it or set DEVICE_GATEWAY_URL"],
  [["firmware", "list", "--token", "t", "--url", "gateway"], "not an http or https address"],
  [
    ["firmware", "list", "--token", "t", "--url", "https:gateway.test"],
    "not an http or https address",
  ],
  [["firmware", "list", "--token", "t", "--url", "https:///x"], "not an http or https address"],
  [
    ["firmware", "list", "--token", "t", "--url", "http://a:b@x"],
    "--url has a user name or a password",
  ],
  [
    ["firmware", "list", "--token", "t", "--url", "http://x", "--base-path", "api"],
    '--base-path: "api" does not begin with "/"',
  ],
  [
    ["firmware", "pause", "latest", "--token", "t", "--url", "http://x"],
    "not the number of a release",
  ],
  [["firmware", "rollout", "1", "half", "--token", "t", "--url", "http://x"], "from 0 to 100"],
])("%j is an invalid command line, and the error says why", async (args, sentence) => {
  const { exitCode, err, out } = await runCli(args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(sentence);
});

test("the scheme of --url may have capital letters, and the base path may be empty", async () => {
  const urls: string[] = [];
  const fetch: Fetch = async (url) => {
    urls.push(url);
    return Response.json({ releases: [], nextCursor: null });
  };
  const args = ["firmware", "list", "--token", "t", "--url", "HTTP://gateway.test"];
  for (const more of [[], ["--base-path", ""]])
    expect((await runCli([...args, ...more], { fetch })).exitCode).toBe(0);
  expect(urls).toEqual([
    expect.stringMatching(/^HTTP:\/\/gateway\.test\/api\/v1\/operator\//),
    expect.stringMatching(/^HTTP:\/\/gateway\.test\/operator\//),
  ]);
});
