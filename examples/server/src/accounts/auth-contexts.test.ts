import { expect, it } from "vitest";
import { createBrowser } from "../testing/account-browser.js";
import { cheapScryptInProcesses } from "../testing/cheap-scrypt-in-processes.js";
import { buildServer, startServerProcess } from "../testing/server-process.js";
import { makeTempFolder } from "../testing/start-test-server.js";

/** With an enabled `AsyncLocalStorage`, Node before version 24 gives each promise symbols. Then the exit code is 70. */
const watcher = `
  process.on("exit", () => {
    if (Object.getOwnPropertySymbols(Promise.resolve()).length > 0) process.exitCode = 70;
  });`;

it("promises of the server are as fast after account requests as before", async () => {
  const NODE_OPTIONS = `${cheapScryptInProcesses.NODE_OPTIONS} --import=data:text/javascript,${encodeURIComponent(watcher)}`;
  const environment = { DATA_DIR: await makeTempFolder(), DEMO: "1", NODE_OPTIONS };
  const server = await startServerProcess(await buildServer(), environment);
  const ann = createBrowser(server.url, { proxied: false });
  expect((await ann.signUp("ann@example.com")).status).toBe(200);
  expect((await ann.signIn("ann@example.com")).status).toBe(200);
  expect((await ann.call("GET", "/api/auth/get-session")).status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
});
