import { createHmac, randomBytes, scryptSync } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySecrets } from "@device-gateway/core";
import { sampleDevice } from "@device-gateway/testing";
import { createTelemetryAgent, sendTelemetry } from "../../downloads/telemetry-load.js";
import { createLines, spread } from "../../measure.js";
import { generatorCore } from "../machine/cores.js";
import { fleetIds, readDevices, registerTemplate, writeSenders } from "../seed/seed-fleet.js";
import { seedStore } from "../seed/seed-store.js";
import { startServer } from "../server-process.js";
import type { StormResult, StormTask } from "../servers/storm-process.js";
import type { SpeedCase } from "../speed-case.js";

const claimCode = "ABCD-EFGH";
const registration = { hardwareId: "esp32:gw-2", firmwareVersion: "0.1.10", claimCode };
/** Devices that stay logged in, and how many records they send together in a second. */
const honest = { devices: 300, requestsPerSecond: 200 };
const quietSeconds = 10;
const goal = 2;

const digest = ({ pepper }: GatewaySecrets, purpose: string, secret: string) =>
  createHmac("sha256", Buffer.from(pepper, "base64url")).update(`${purpose}\0${secret}`).digest();

/** Hashes a claim code as the gateway does, at its default cost. */
function hashClaimCode(secrets: GatewaySecrets): string {
  const salt = randomBytes(16);
  const code = digest(secrets, "claim-code", claimCode.replace("-", ""));
  const hash = scryptSync(code, salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 });
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$scrypt$ln=15,r=8,p=3$${text(salt)}$${text(hash)}`;
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Lets a whole fleet log in at once on the bundled server, beside honest telemetry. */
export const storm: SpeedCase = {
  title: "P14: a fleet returns at once",
  async run({ host, servers, fleet, folder }, { devices, progress }) {
    const { secrets } = fleet;
    const deviceSecret = randomBytes(32).toString("base64url");
    const secretHash = digest(secrets, "device-secret", deviceSecret).toString("base64url");
    const { profile } = sampleDevice("template");
    const changes = {
      credential: { secretHash, epoch: 1, issuedAt: Date.now() },
      claimCodeHash: hashClaimCode(secrets),
      profile: { ...profile, fingerprintHash: null },
    };
    const own = join(folder, "storm");
    mkdirSync(own);
    const deviceIds = fleetIds(devices + honest.devices);
    const make: typeof registerTemplate = (store, id) => registerTemplate(store, id, changes);
    const place = await seedStore(host, join("storm", "gateway"), [{ make, deviceIds }], () => {});
    const settings = { TRUSTED_PROXIES: 1 };
    const server = await startServer(servers.program("bundled"), {
      ...{ place, folder: own, secrets, settings },
    });
    const crowd = await startServer(servers.program("storm"), {}, [], generatorCore);
    const { devicesFile } = writeSenders(own, deviceIds.slice(devices), secrets);
    const tokens = readDevices(devicesFile).map(({ token }) => token);
    const agent = createTelemetryAgent();
    const load = {
      ...{ port: server.port, tokens, agent },
      requestsPerSecond: honest.requestsPerSecond,
    };

    progress("quiet");
    await sendTelemetry({ ...load, seconds: 5 });
    const quiet = await sendTelemetry({ ...load, seconds: quietSeconds });
    progress("storm");
    const task: StormTask = {
      ...{ port: server.port, deviceIds: deviceIds.slice(0, devices), deviceSecret, registration },
    };
    const before = await server.usage();
    let isOver = false;
    const running = crowd.ask<StormResult>("run", task).finally(() => {
      isOver = true;
    });
    const during: number[] = [];
    while (!isOver) during.push(...(await sendTelemetry({ ...load, seconds: 1 })));
    agent.destroy();
    const { returned, seconds, answers } = await running;
    const after = await server.usage();
    await crowd.end();
    await server.ask("close");
    await server.end();

    const lines = createLines();
    for (const [subject, latencies] of [
      ["quiet", quiet],
      ["storm", during],
    ] as const) {
      lines.add("telemetry p50", "ms", subject, quantile(latencies, 0.5), true);
      lines.add("telemetry p99", "ms", subject, quantile(latencies, 0.99), true);
      lines.add("telemetry, longest", "ms", subject, spread(latencies).max, true);
    }
    const times = quantile(during, 0.99) / quantile(quiet, 0.99);
    const counts = Object.entries(answers).map(([kind, count]) => `${count} × ${kind}`);
    const notes = [
      `${returned} of ${devices} devices returned within ${seconds.toFixed(1)} s: ${returned === devices ? "reached" : "missed"}.`,
      `Responses: ${counts.sort().join(", ")}. CPU of the server: ${((after.cpuUs - before.cpuUs) / 1e6).toFixed(1)} s.`,
      `Telemetry p99, storm against quiet: x${times.toFixed(1)}; goal at most x${goal}: ${times <= goal ? "reached" : "missed"}. No honest record was refused.`,
    ];
    return [{ title: `P14: ${devices} devices return at once`, lines: lines.all(), notes }];
  },
};
