import { join } from "node:path";
import type { Fetch } from "@device-gateway/device-client";
import {
  createUpdateNetwork,
  createUpdater,
  type UpdateNetwork,
  type UpdateOutcome,
  type Updater,
} from "@device-gateway/device-client/update";
import { readFileIfAny, writePrivateFile } from "../../data/private-file.js";
import type { DemoEvent } from "../demo-event.js";
import { createDemoFlash } from "./demo-flash.js";
import { demoKeyId } from "./demo-key.js";
import { updateClock } from "./update-clock.js";

/** The demo gateway's firmware: the running version and its updates. */
export interface DemoFirmware {
  /** Returns the running version. */
  running(): Promise<string>;
  /** Runs the updater once. After the outcome `restarting`, the gateway must log in again. */
  update(renewToken: () => Promise<void>): Promise<UpdateOutcome>;
  /** Answers the owner's "update now" request (§6). If the answer is lost, the request stays in the configuration. */
  answer(requestId: string, message: string): Promise<void>;
}

export interface DemoFirmwareOptions {
  /** The hardware, and the firmware version that it was delivered with. */
  readonly device: { readonly targetHardware: string; readonly firmwareVersion: string };
  readonly folder: string;
  /** The URL at which devices reach the server. Downloads use it. */
  readonly publicUrl: string;
  /** The URL at which this machine reaches the server. */
  readonly url: string;
  /** The public key that the demo gateway verifies firmware with. */
  readonly pem: string;
  readonly token: () => string | undefined;
  readonly notify: (event: DemoEvent) => void;
  readonly selfTest: () => Promise<void>;
}

/** Wraps a network so that each report that the server accepts becomes an event. */
const withEvents = (
  network: UpdateNetwork,
  notify: DemoFirmwareOptions["notify"],
): UpdateNetwork => ({
  ...network,
  async report(report) {
    const outcome = await network.report(report);
    const { state, version, progress, code, message } = report;
    if (outcome === "delivered")
      notify({ kind: "updating", state, version, progress, code, message });
    return outcome;
  },
});

/** Creates the demo gateway's firmware. It is kept in files and updated by the reference updater. */
export function createDemoFirmware(options: DemoFirmwareOptions): DemoFirmware {
  const { device, folder, publicUrl, url, pem, token, notify, selfTest } = options;
  const flash = createDemoFlash(join(folder, "demo-flash"), device.firmwareVersion);
  const stateFile = join(folder, "demo-updater.json");
  // This machine may not be able to reach the public URL.
  const viaLocal: Fetch = (address, init) => fetch(address.replace(publicUrl, url), init);
  let renew: () => Promise<void> = async () => {};
  let updater: Updater | undefined;

  const boot = async () => {
    const network = createUpdateNetwork({
      apiUrl: `${publicUrl}/api/v1`,
      fetch: viaLocal,
      tokens: { current: token, renew: () => renew() },
      clock: updateClock,
    });
    return createUpdater({
      network: withEvents(network, notify),
      storage: {
        load: async () => (await readFileIfAny(stateFile)) ?? null,
        save: (text) => writePrivateFile(stateFile, text),
      },
      slot: flash.slot,
      boot: flash.boot,
      clock: updateClock,
      random: Math.random,
      selfTest,
      targetHardware: device.targetHardware,
      running: await flash.running(),
      keys: [{ id: demoKeyId, pem }],
    });
  };

  return {
    running: () => flash.running(),
    async answer(requestId, message) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token()}` };
      const body = JSON.stringify({ requestId, status: "done", message });
      await fetch(`${url}/api/v1/device/ota/status`, { method: "POST", headers, body }).catch(
        () => undefined,
      );
    },
    async update(renewToken) {
      renew = renewToken;
      updater ??= await boot();
      const outcome = await updater.run();
      if (outcome.kind === "restarting") updater = undefined;
      return outcome;
    },
  };
}
