import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createUserClient } from "@device-gateway/device-client";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { runDemoAgainst } from "../testing/demo-harness.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import { isOwned } from "./is-owned.js";

useCheapScrypt();

it("reports after a restart whether somebody has claimed the demo gateway", async () => {
  const server = await startTestServer({ DEMO: true });
  const { url, settings } = server;
  const run = () =>
    runDemoAgainst(server, { recording: [], isOwned: () => isOwned(url, settings.DATA_DIR) });
  const { events } = await run();
  const [registered] = events;
  expect(registered).toMatchObject({ kind: "registered", owned: false });
  expect((await run()).events[0]).toMatchObject({ kind: "logged_in", owned: false });

  const token = await readFile(join(settings.DATA_DIR, "demo-customer.token"), "utf8");
  const { claimCode } = registered as { claimCode: string };
  const body = { deviceId: "demo-gateway", claimCode };
  (
    await createUserClient({ baseUrl: url, token: token.trim() }).claimDevice({ body })
  )._unsafeUnwrap();
  expect((await run()).events[0]).toMatchObject({ kind: "logged_in", owned: true });
  expect(await isOwned(url, await makeTempFolder()), "without a token").toBe(false);
});
