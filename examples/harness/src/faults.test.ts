import type { Fault, RecordedRequest } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { identity, openBench } from "./my-device.js";
import { createMyFlash, startUpdater, targetHardware } from "./my-updater.js";

/** Faults of networks and proxies. Each one hits each request of the device once. */
const faults: readonly Fault[] = [
  { kind: "unreachable" },
  { kind: "lost_answer" },
  { kind: "duplicated" },
  { kind: "unavailable", retryAfterSeconds: 7 },
  { kind: "server_error", status: 500 },
  { kind: "server_error", status: 502 },
  { kind: "captive_portal" },
  { kind: "redirected" },
  { kind: "unauthorized" },
  { kind: "delayed", ms: 1 },
  { kind: "slow", pieceBytes: 100, everyMs: 0 },
  { kind: "cut", afterBytes: 30 },
  { kind: "corrupted", atByte: 0 },
  { kind: "wrong_length", by: 10 },
  { kind: "wrong_length", by: -10 },
  { kind: "wrong_time", offsetMs: 86_400_000 },
];

const routes = ["registerDevice", "loginDevice", "sendTelemetry", "readConfig"] as const;

test.each(faults)("my device recovers from $kind and loses no reading", async (fault) => {
  for (const route of routes) {
    const { cloud, powerUp, events } = await openBench();
    onTestFinished(() => cloud.close());
    if (route === "loginDevice") expect((await powerUp().connect()).isOk()).toBe(true);
    cloud.fail(route, fault);
    const device = powerUp();
    for (let round = 0; round < 2; round++) {
      const reading = { round, route };
      expect((await device.record(reading)).isOk()).toBe(true);
      // The first round may fail. The second one sends what is left.
      const sent = await device.flush();
      const config = await device.readConfig();
      if (round === 1) expect([sent.isOk(), config.isOk()]).toEqual([true, true]);
      cloud.clock.advance(60_000);
    }
    expect(cloud.requests.filter((request) => request.fault === fault)).not.toEqual([]);
    const stored = (await cloud.records(identity.deviceId)) as { round: number }[];
    expect(stored.map(({ round }) => round)).toEqual([0, 1]);
    expect(events.filter(({ kind }) => kind === "dropped" || kind === "rejected")).toEqual([]);
  }
});

const image = Uint8Array.from({ length: 10_000 }, (_, at) => (at * 7_919) >> 5);

/** What the updater reports of an installed image. */
const reported = ["downloading", "downloaded", "verified", "installing", "rebooting", "succeeded"];
const stateOf = ({ body }: RecordedRequest) => (body as { state: string }).state;
const hasArrived = ({ status }: RecordedRequest) => status === 202;

test.each(faults)(
  "my updater installs the published image and reports it despite $kind",
  async (fault) => {
    for (const route of ["readLatestFirmware", "downloadFirmware", "reportUpdate"] as const) {
      const { cloud } = await openBench();
      onTestFinished(() => cloud.close());
      const { token } = await cloud.addDevice({ hardwareId: targetHardware });
      await cloud.addRelease({ version: "1.1.0", targetHardware, image });
      cloud.fail(route, fault);
      const flash = createMyFlash();
      for (let check = 0; check < 3 && flash.installed === null; check++) {
        await (await startUpdater({ cloud, flash, token, running: "1.0.0" })).run();
        cloud.clock.advance(3_600_000);
      }
      expect(flash.installed && Buffer.compare(flash.installed, image), route).toBe(0);
      // After the restart, the updater sends the reports that wait.
      await (await startUpdater({ cloud, flash, token, running: "1.1.0" })).run();
      const arrived = cloud.requestsTo("reportUpdate").filter(hasArrived).map(stateOf);
      expect(arrived, route).toEqual(expect.arrayContaining(reported));
    }
  },
);
