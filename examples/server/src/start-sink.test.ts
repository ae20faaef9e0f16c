import { readFile } from "node:fs/promises";
import { operator, silentLogger } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startFakeReceiver } from "../../../packages/telemetry-sink/src/testing/fake-receiver.js";
import {
  createRealReceiver,
  missingReceiver,
} from "../../../packages/telemetry-sink/src/testing/real-receiver.js";
import { startServer } from "./server.js";
import { readSettings } from "./settings/read-settings.js";
import { Settings } from "./settings/settings.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { makeTempFolder } from "./testing/start-test-server.js";

useCheapScrypt();

const identity = { hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

async function startWith(environment: Readonly<Record<string, string>>) {
  const DATA_DIR = await makeTempFolder();
  const reading = readSettings({ PORT: "0", METRICS_PORT: "0", DATA_DIR, ...environment });
  if (reading.kind === "unusable") throw new Error(reading.problems.join("\n"));
  const warn = vi.fn();
  const server = await startServer(reading.settings, { logger: { ...silentLogger, warn } });
  onTestFinished(server.stop);
  const device = createDeviceClient({ baseUrl: server.url });
  (await device.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  const readMetric = async (name: string) => {
    const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`device_gateway_sink_${name} `));
    return line === undefined ? null : Number(line.split(" ")[1]);
  };
  return { ...server, device, warn, readMetric };
}

describe("the telemetry sink of the server", () => {
  it("copies the chosen metrics, and shows its lag and the skipped records", async () => {
    const receiver = await startFakeReceiver();
    onTestFinished(receiver.close);
    receiver.answer((lines) => (lines.some((line) => line.includes("soc=2")) ? 400 : 204));
    const { device, readMetric } = await startWith({
      TELEMETRY_SINK_URL: receiver.url,
      TELEMETRY_SINK_TOKEN: "planted",
      TELEMETRY_SINK_METRICS: "soc, bms.*",
    });
    const at = Date.now();
    const records = [
      { timestamp: at, soc: 1, bms: { v: 3.3 }, other: 9 },
      { timestamp: at + 1, soc: 2 },
    ];
    (await device.sendTelemetry(records))._unsafeUnwrap();
    await expect.poll(() => readMetric('records_total{outcome="skipped"}')).toBe(1);
    expect(await readMetric('records_total{outcome="written"}')).toBe(1);
    expect(await readMetric("lag_seconds")).toBe(0);
    expect(await readMetric("active")).toBe(1);
    expect(receiver.lines()).toContain(
      `telemetry,deviceId=gw-1,hardware=esp32 soc=1,bms.v=3.3 ${at}`,
    );
    expect(receiver.writes[0]?.headers.authorization).toBe("Token planted");
  });

  it("never shows its URL and token in a sentence about them", () => {
    const secrets = { TELEMETRY_SINK_URL: "planted-url", TELEMETRY_SINK_TOKEN: "planted token" };
    const reading = readSettings(secrets);
    const problems = reading.kind === "unusable" ? reading.problems : [];
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain("planted");
    expect(Settings.parse({}).TELEMETRY_SINK_URL).toBeUndefined();
  });

  const reason = missingReceiver("victoria");
  it.skipIf(reason !== undefined)(
    `docs/telemetry-sink.md: its settings, queries and deletion work${reason === undefined ? "" : ` (skipped: ${reason})`}`,
    async () => {
      const page = await readFile(
        new URL("../../../docs/telemetry-sink.md", import.meta.url),
        "utf8",
      );
      const blockOf = (language: string) =>
        (new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(page)?.[1] ?? "").split("\n");
      const victoria = await createRealReceiver("victoria");
      onTestFinished(victoria.remove);
      await victoria.start();
      const origin = new URL(victoria.url).origin;
      const settings = blockOf("ini").map((line) => line.replace("http://localhost:8428", origin));
      const { device, gateway, warn, readMetric } = await startWith(
        Object.fromEntries(settings.map((line) => line.split(/=(.*)/s))),
      );
      (await device.sendTelemetry([{ soc: 50, bms: { voltage: 3.2 } }]))._unsafeUnwrap();
      await expect.poll(() => readMetric('records_total{outcome="written"}')).toBe(1);
      await fetch(`${origin}/internal/force_flush`);

      // Without -search.latencyOffset, the newest 30 seconds are invisible to queries.
      const time = String(Date.now() / 1_000 + 60);
      const query = async (text: string) => {
        const search = new URLSearchParams({ query: text, time, nocache: "1" });
        const answer = await (await fetch(`${origin}/api/v1/query?${search}`)).json();
        return answer.data.result.map(({ value }: { value: [number, string] }) => value[1]);
      };
      const values = await Promise.all(blockOf("promql").map(query));
      expect(values).toEqual([["50"], ["3.2"], ["50"]]);

      const [, match = ""] = /delete_series -d '([^']+)'/.exec(page) ?? [];
      const erased = await gateway
        .as(operator({ id: "ops" }))
        .eraseDevice({ params: { deviceId: "gw-1" } });
      expect(erased.isOk()).toBe(true);
      const [fields, sentence] = warn.mock.calls.at(-1) ?? [];
      expect(fields).toEqual({ deviceId: "gw-1" });
      expect(sentence).toContain("the telemetry sink keeps its copy");
      const body = new URLSearchParams(match);
      await fetch(`${origin}/api/v1/admin/tsdb/delete_series`, { method: "POST", body });
      expect(await victoria.read()).toEqual(new Map());
    },
  );
});
