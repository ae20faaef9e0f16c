import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { customer, operator } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import express from "express";
import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished, vi } from "vitest";
import { startReceiver } from "../../../packages/webhooks/src/testing/receiver.js";
import { runExample } from "../../../scripts/run-example.js";
import { webhooks } from "./operations/webhooks.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { startTestServer } from "./testing/start-test-server.js";

useCheapScrypt();

it("an operator creates a webhook with a command, and a running server sends the events of a device to it", async () => {
  const server = await startTestServer({ WEBHOOKS: true, WEBHOOKS_INTRANET: true });
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const code = await webhooks(server.settings, args, (line) => lines.push(line));
    return { code, output: lines.join("\n") };
  };
  expect(await run("add", "ftp://example.com")).toMatchObject({ code: 1 });
  expect(await run("sell")).toMatchObject({ code: 2, output: expect.stringContaining("Usage") });
  const added = await run("add", receiver.url, "--kinds", "device.registered");
  expect(added.code).toBe(0);
  const { endpoint, secret } = JSON.parse(added.output) as {
    endpoint: { id: string };
    secret: string;
  };
  const device = createDeviceClient({ baseUrl: server.url });
  const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
  (await device.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  await expect.poll(() => receiver.received).toHaveLength(1);
  const [message] = receiver.received;
  const headers = (message?.headers ?? {}) as Record<string, string>;
  new Webhook(secret).verify(message?.body ?? "", headers);
  expect(message).toMatchObject({ type: "device.registered", deviceId: "gw-1" });
  const listed = await run("list");
  expect(listed.output).toContain(endpoint.id);
  expect(listed.output).not.toContain(secret);
  const api = server.gateway.as(operator({ id: "olga" }));
  const shown = await api.listWebhooks({ query: { scope: "operator" } });
  expect(shown._unsafeUnwrap().body.webhooks).toMatchObject([{ id: endpoint.id }]);
  expect(await run("test", endpoint.id)).toMatchObject({ code: 0 });
  await expect.poll(() => receiver.received.at(-1)?.type).toBe("webhook.test");
  await expect.poll(async () => (await run("history", endpoint.id)).output).toContain('"test_');
  for (const action of ["disable", "enable", "rotate", "retry", "remove"]) {
    expect(await run(action, endpoint.id), action).toMatchObject({ code: 0 });
  }
  expect(await run("test", endpoint.id)).toMatchObject({ code: 1 });
});

it("the command webhooks fails when it does nothing, and says what to do next", async () => {
  const { settings } = await startTestServer({ WEBHOOKS: true, WEBHOOKS_INTRANET: true });
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const code = await webhooks(settings, args, (line) => lines.push(line));
    return { code, output: lines.join("\n") };
  };
  const add = () => run("add", "https://example.com/hook");
  const { endpoint } = JSON.parse((await add()).output) as { endpoint: { id: string } };
  const unknown = { code: 1, output: "No webhook has this id. Run `webhooks list`." };
  for (const action of ["filter", "enable", "disable", "rotate", "test", "history", "retry"]) {
    expect(await run(action, "wrong"), action).toEqual(unknown);
    expect(await run(action), action).toEqual(unknown);
  }
  expect(await run("replay", "wrong", "2026-01-31T00:00:00Z")).toEqual(unknown);
  for (const time of ["5", "2026-01-31", "2026-01-31T00:00:00"]) {
    const output = expect.stringContaining(`${time} is not a time as described below.`);
    expect(await run("replay", endpoint.id, time)).toEqual({ code: 2, output });
  }
  expect(await run("remove", "wrong")).toEqual(unknown);
  expect(await run("disable", endpoint.id)).toMatchObject({ code: 0 });
  expect(await run("test", endpoint.id)).toEqual({
    code: 1,
    output: "The webhook is disabled, so nothing was sent. Run `webhooks enable <id>` first.",
  });
  for (let n = 1; n < 20; n++) await add();
  expect(await add()).toEqual({
    code: 1,
    output: "There are 20 webhooks already. Delete one with `webhooks remove <id>`.",
  });
  expect(await run("filter", endpoint.id, "--kinds", "device.sold")).toEqual({
    code: 1,
    output: expect.stringMatching(/^There is no kind "device.sold"\. The kinds are /),
  });
});

it("with WEBHOOKS_OF_OWNERS, a customer's webhook gets the events of their own device only", async () => {
  const on = { WEBHOOKS: true, WEBHOOKS_OF_OWNERS: true, WEBHOOKS_INTRANET: true };
  const server = await startTestServer(on);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const bob = server.gateway.as(customer({ id: "bob", emailVerified: true }));
  const created = await bob.createWebhook({ body: { url: receiver.url } });
  const { webhook, secret } = created._unsafeUnwrap().body;
  const device = createDeviceClient({ baseUrl: server.url });
  const claimCode = "ABCD-EFGH";
  const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode };
  for (const deviceId of ["gw-1", "gw-2"]) {
    (await device.register({ deviceId, ...identity }))._unsafeUnwrap();
  }
  const carol = server.gateway.as(customer({ id: "carol", emailVerified: true }));
  (await carol.claimDevice({ body: { deviceId: "gw-2", claimCode } }))._unsafeUnwrap();
  (await bob.claimDevice({ body: { deviceId: "gw-1", claimCode } }))._unsafeUnwrap();
  await expect.poll(() => receiver.received).toHaveLength(1);
  const [message] = receiver.received;
  expect(message).toMatchObject({ type: "device.claimed", deviceId: "gw-1" });
  const headers = (message?.headers ?? {}) as Record<string, string>;
  new Webhook(secret).verify(message?.body ?? "", headers);
  const removed = await bob.removeWebhook({ params: { webhookId: webhook.id } });
  expect(removed.isOk()).toBe(true);
});

it("without WEBHOOKS_OF_OWNERS, customers have no webhooks", async () => {
  const server = await startTestServer({ WEBHOOKS: true });
  const bob = server.gateway.as(customer({ id: "bob", emailVerified: true }));
  expect((await bob.listWebhooks())._unsafeUnwrapErr().code).toBe("webhooks_not_enabled");
});

it("the command, the receiver and the request of a customer in docs/webhooks.md work", async () => {
  const on = { WEBHOOKS: true, WEBHOOKS_OF_OWNERS: true, WEBHOOKS_INTRANET: true };
  const { settings, gateway, url } = await startTestServer(on);
  const page = await readFile(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const app = express();
  const listening = app.listen(0, "127.0.0.1");
  onTestFinished(() => void listening.close());
  await once(listening, "listening");
  const hook = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook`;
  const [, command = ""] = /main\.js webhooks (add .*)/.exec(page) ?? [];
  const lines: string[] = [];
  const args = command.replace("https://example.com/hook", hook).split(" ");
  expect(await webhooks(settings, args, (line) => lines.push(line))).toBe(0);
  const { secret } = JSON.parse(lines.join("\n")) as { secret: string };

  const addOnce = vi.fn();
  await runExample("webhooks.md", "webhook.verify", {
    ...{ Webhook, app, express, queue: { addOnce } },
    process: { env: { WEBHOOK_SECRET: secret } },
  });
  const claimCode = "ABCD-EFGH";
  const identity = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0", claimCode };
  (await createDeviceClient({ baseUrl: url }).register(identity))._unsafeUnwrap();
  const bob = gateway.as(customer({ id: "bob", emailVerified: true }));
  (await bob.claimDevice({ body: { deviceId: "gw-1", claimCode } }))._unsafeUnwrap();
  await expect.poll(() => addOnce.mock.calls).toHaveLength(1);
  const message = { type: "device.claimed", data: { deviceId: "gw-1", actor: "bob" } };
  expect(addOnce.mock.calls[0]).toMatchObject([expect.any(String), message]);
  const headers = { "content-type": "application/json" };
  const forged = await fetch(hook, { method: "POST", headers, body: "{}" });
  expect(forged.status).toBe(400);

  const [, body = ""] = /-d '(\{.*\})'/.exec(page) ?? [];
  const created = await bob.createWebhook({ body: JSON.parse(body) });
  expect(created._unsafeUnwrap().body.secret).toMatch(/^whsec_/);
});
