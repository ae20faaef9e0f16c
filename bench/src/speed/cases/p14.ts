import { randomBytes } from "node:crypto";
import { createGateway } from "@device-gateway/core";
import { onNode } from "@device-gateway/core/node";
import { createLines, spread } from "../../measure.js";
import type { SpeedCase } from "../speed-case.js";
import { openPlace } from "../store/store-place.js";

const goals = { login: 150, registration: 2_000 };
const perRound = 1_000;

/** Does a fixed amount of work. Its CPU time makes rounds and machines comparable. */
function runCalibrationLoop(): void {
  let sum = 0;
  for (let n = 0; n < 20_000_000; n++) sum = (sum + n * 31) | 0;
  if (sum === 1) throw new Error("The sum changed.");
}

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Measures the CPU time of a login and of a registration with a declared random code. Covers all threads of this process. */
export const p14: SpeedCase = {
  title: "P14: first boots and logins, in process",
  async run({ host, fleet }, { repeats, progress }) {
    const store = await openPlace(await host.newPlace("p14"));
    const gateway = await createGateway({
      ...{ store, secrets: fleet.secrets, ...onNode },
      randomClaimCodes: true,
      productionAddresses: ["198.51.100.0/24"],
      limits: { loginsPerMinute: 1_000_000 },
    });
    const post = async (route: string, value: object) => {
      const { status, body } = await gateway.handle({
        ...{ method: "POST", path: `/api/v1/device/${route}`, query: "" },
        clientAddress: "198.51.100.1",
        header: () => undefined,
        json: async () => ({ kind: "value", value }),
        stream: () => {
          throw new Error("The route has no stream.");
        },
      });
      if (status >= 400) throw new Error(`${route}: ${status} ${String(body)}`);
      return JSON.parse(String(body)) as { deviceSecret: string };
    };
    let registered = 0;
    const register = async () => {
      const deviceId = `gw-${registered++}`;
      const claimCode = randomBytes(10).toString("hex");
      const firmware = { hardwareId: "esp32", firmwareVersion: "1.0.0" };
      const { deviceSecret } = await post("register", { deviceId, ...firmware, claimCode });
      return { deviceId, deviceSecret };
    };
    const lines = createLines();
    const measure = async (what: string, unit: string, count: number, work: () => unknown) => {
      const before = cpuUs();
      for (let n = 0; n < count; n++) await work();
      lines.add(what, unit, "gateway", (cpuUs() - before) / count, true);
    };
    const device = await register();
    for (let n = 0; n < perRound; n++) await post("login", device);
    for (let repeat = 0; repeat < repeats; repeat++) {
      progress(`round ${repeat + 1} of ${repeats}`);
      await measure("calibration loop", "µs of CPU", 1, runCalibrationLoop);
      await measure("login", "µs of CPU", perRound, () => post("login", device));
      await measure("registration of a declared random code", "µs of CPU", perRound, register);
    }
    await store.close();
    const median = (what: string) =>
      spread(
        lines
          .all()
          .find((line) => line.what === what)
          ?.values.get("gateway") ?? [],
      ).median;
    const verdict = (what: string, name: string, goal: number) =>
      `${what}: ${Math.round(median(name))} µs; goal at most ${goal} µs: ${median(name) <= goal ? "reached" : "missed"}.`;
    const notes = [
      verdict("Login", "login", goals.login),
      verdict("Registration", "registration of a declared random code", goals.registration),
      "CPU time of all threads, the store's included, from the parsed body to the text of the response.",
    ];
    return [{ title: p14.title, lines: lines.all(), notes }];
  },
};
