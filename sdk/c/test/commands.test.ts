import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type CDevice, createCDevice } from "./c-device.js";
import { describeInC, makeDevice } from "./tool-chain.js";

const sentBy = ["operator"] as const;
const commands = {
  blink: { payload: z.object({ deep: z.unknown().optional(), times: z.int() }), sentBy },
  other: { payload: z.object({}), sentBy },
} as const;

async function start() {
  const device = await createCDevice({ commands });
  await device.run(["connect"]);
  const { cloud, deviceId } = device;
  return {
    ...device,
    send: (times = 1) => cloud.sendCommand(deviceId, "blink", { times }),
    read: (commandId: string) => cloud.readCommand(deviceId, commandId),
  };
}
function blinksOf({ folder, deviceId }: CDevice): readonly string[] {
  const file = join(folder, deviceId, "blinks");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

describeInC("commands of the C client", () => {
  beforeAll(makeDevice);

  it("§11 runs commands in order, with their payload, and reports the results", async () => {
    const device = await start();
    const [one, two] = [await device.send(3), await device.send(5)];
    const other = await device.cloud.sendCommand(device.deviceId, "other");
    const { results } = await device.run(Array(4).fill("command=0"), { compiler: "clang" });
    expect(results("command")).toMatchObject([
      { status: "ok", name: "blink", times: 3 },
      { status: "ok", name: "blink", times: 5 },
      { status: "ok", name: "other" },
      { status: "ok", name: "" },
    ]);
    expect(await device.read(one)).toMatchObject({
      ...{ state: "done", answer: { status: "done", result: { times: 3 }, message: "ok" } },
    });
    expect((await device.read(two)).state).toBe("done");
    expect((await device.read(other)).state).toBe("failed");
  });

  it("runs a command whose payload has 32 levels", async () => {
    const device = await start();
    const deep = JSON.parse("[".repeat(31) + "]".repeat(31));
    const payload = { deep, times: 3 };
    const id = await device.cloud.sendCommand(device.deviceId, "blink", payload);
    const { results } = await device.run(["command=0"]);
    expect(results("command")).toMatchObject([{ status: "ok", name: "blink", times: 3 }]);
    expect((await device.read(id)).state).toBe("done");
  });

  it("§4 §5 §11 telemetry and configuration say that a command waits, until it is answered", async () => {
    const device = await start();
    await device.send();
    const { results } = await device.run([
      ...["check-in", "config", "config", "command=0", "check-in", "config", "config"],
    ]);
    const hints = [...results("check-in"), ...results("config")];
    expect(hints.map(({ commandsWaiting }) => commandsWaiting)).toEqual([
      ...[true, false],
      ...[true, true, false, false],
    ]);
  });

  it("§11 waits for a command", async () => {
    const device = await start();
    const running = device.run(["command=45"]);
    await expect.poll(async () => (await device.cloud.gateway.readLevels()).commandWaiters).toBe(1);
    const id = await device.send(2);
    expect((await running).results("command")).toMatchObject([{ name: "blink", times: 2 }]);
    expect((await device.read(id)).state).toBe("done");
  });

  it("§11 a command whose report is lost, or that a restart interrupted, does not run again", async () => {
    const device = await start();
    const lost = await device.send();
    device.cloud.fail("reportCommand", { kind: "unreachable" }, { times: 9 });
    expect((await device.run(["command=0"])).results("command")).toMatchObject([
      { status: "network", name: "blink" },
    ]);
    device.cloud.clearFaults();
    await device.run(["command=0"]);
    expect((await device.read(lost)).state).toBe("done");
    const held = await device.send();
    await device.run(["hold"]);
    await device.run(["command=0"]);
    expect((await device.read(held)).state).toBe("unknown");
    expect(blinksOf(device)).toEqual([lost, held]);
  });

  it.each([
    { times: -1, not: "a result that is not JSON" },
    { times: -2, not: "a message that is not UTF-8" },
  ])("§11 a report with $not is sent without it, and the next command runs", async ({ times }) => {
    const device = await start();
    const [bad, next] = [await device.send(times), await device.send(2)];
    const { results } = await device.run(["command=0", "command=0"]);
    expect(results("command")).toMatchObject([{ status: "ok" }, { status: "ok", times: 2 }]);
    const read = await device.read(bad);
    expect(read).toMatchObject({ state: "done", answer: { status: "done" } });
    expect((await device.read(next)).state).toBe("done");
  });

  it("§1 §11 a report is kept whole while the server refuses to register the device", async () => {
    const device = await start();
    const id = await device.send(2);
    device.cloud.fail("reportCommand", { kind: "unreachable" }, { times: 9 });
    await device.run(["command=0"]);
    device.cloud.clearFaults();
    device.loseSecret();
    await device.run(["command=0"], { claimCode: "A" });
    const registrations = device.cloud.requestsTo("registerDevice");
    expect(registrations.map(({ status }) => status)).toEqual([201, 400]);
    const { results } = await device.run(["command=0"]);
    expect(results("command")).toMatchObject([{ status: "ok" }]);
    expect(await device.read(id)).toMatchObject({ answer: { result: { times: 2 } } });
  });

  it("§8 §11 the example says that an update now failed", async () => {
    const { cloud, runExample } = await createCDevice();
    await runExample();
    const authorization = `Bearer ${cloud.signIn("alice")}`;
    const call = (path: string, body: object) =>
      cloud.fetch(`${cloud.baseUrl}/api/v1${path}`, {
        ...{ method: "POST", body: JSON.stringify(body) },
        headers: { authorization, "content-type": "application/json" },
      });
    await call("/user/devices/claim", { deviceId: "gw-example", claimCode: "ABCD-EFGH" });
    const sent = await call("/dashboard/devices/gw-example/ota/check", {});
    const { requestId } = await sent.json();
    cloud.fail("readLatestFirmware", { kind: "captive_portal" }, { times: 9 });
    const { printed } = await runExample();
    expect(printed).toContain("No update now: ");
    expect(await cloud.readCommand("gw-example", requestId)).toMatchObject({
      ...{ state: "failed", answer: { message: expect.stringContaining("not from the API") } },
    });
  });

  it("§11 runs a command at most once, wherever the device dies", async () => {
    const device = await start();
    let operations = 0;
    for (let killAt = 1; killAt === 1 || operations === 0; killAt++) {
      const id = await device.send();
      const died = await device.run(["command=0"], { killAt });
      if (!died.wasKilled) operations = killAt;
      await device.run(["command=0", "command=0"]);
      const { state } = await device.read(id);
      const runs = blinksOf(device).filter((run) => run === id).length;
      expect(runs).toBeLessThanOrEqual(1);
      expect(["done", "unknown"]).toContain(state);
      if (state === "done") expect(runs).toBe(1);
    }
    expect(operations).toBeGreaterThan(4);
  });
});
