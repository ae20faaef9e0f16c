import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../testing/run-cli.js";

test("the test cloud runs until it is stopped", async () => {
  const printed: string[] = [];
  const states: unknown[] = [];
  const { exitCode } = await runCli(["test-cloud", "--port", "0", "--control-port", "0"], {
    print: (line) => printed.push(line),
    async untilStopped() {
      const [url = "", control = ""] = printed.map((line) => line.split(" ")[1]);
      states.push((await fetch(`${url}/healthz`)).status);
      states.push(await (await fetch(`${control}/cloud`)).json());
    },
  });
  expect(exitCode).toBe(0);
  expect(states).toMatchObject([200, { online: true }]);
  const [, url = ""] = /^cloud (.+)$/.exec(printed[0] ?? "") ?? [];
  await expect(fetch(url)).rejects.toThrow();
});

test("a control API that others can reach needs a token", async () => {
  const args = ["test-cloud", "--port", "0", "--control-port", "0", "--control-host", "0.0.0.0"];
  const { exitCode, err } = await runCli(args);
  expect({ exitCode, err }).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("needs a token"),
  });
});

test("a port in use is an error that says what to do", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const port = String((server.address() as AddressInfo).port);
  const { exitCode, err } = await runCli(["test-cloud", "--port", port, "--control-port", "0"]);
  expect({ exitCode, err }).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/EADDRINUSE.*\. Pass a free port with --port or --control-port\.$/),
  });
  expect(await runCli(["test-cloud", "--port", "high"])).toMatchObject({ exitCode: 2 });
});

test("an address of another machine is an error that says what to do", async () => {
  const args = ["test-cloud", "--port", "0", "--control-port", "0", "--host", "203.0.113.1"];
  expect(await runCli(args)).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(
      /EADDRNOTAVAIL.*\. Pass an address of this machine with --host or --control-host\.$/,
    ),
  });
});
