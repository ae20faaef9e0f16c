import { createDeviceClient } from "@device-gateway/device-client";
import { expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { runDemoAgainst } from "../testing/demo-harness.js";
import { startTestServer } from "../testing/start-test-server.js";
import { readRecording } from "./recording/recording.js";

useCheapScrypt();

it("the demo gateway sends its whole recording at once, and other devices keep the limits of the settings", async () => {
  const server = await startTestServer({
    ...{ DEMO: true, HOST: "0.0.0.0" },
    DG_LIMIT_METRICS_PER_MINUTE: 1_000,
    DG_LIMIT_UNCLAIMED_BYTES_PER_MINUTE: 1_024,
  });
  const recording = await readRecording();
  const { events, kinds } = await runDemoAgainst(server, { recording });
  expect(kinds).toEqual(["registered", "configured", "replaying", "replayed", "live"]);
  const total = recording.length;
  expect(events).toContainEqual({ kind: "replaying", sent: total, total });

  const other = createDeviceClient({ baseUrl: server.url });
  const identity = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" };
  (await other.register({ ...identity, claimCode: "ABCD-EFGH" }))._unsafeUnwrap();
  // A full bucket has ten minutes' worth and admits one larger body.
  const send = () => other.sendTelemetry({ note: "x".repeat(12_000) });
  expect((await send()).isOk()).toBe(true);
  expect((await send())._unsafeUnwrapErr().code).toBe("too_many_requests");
});
