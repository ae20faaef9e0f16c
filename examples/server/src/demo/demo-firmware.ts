import { join } from "node:path";
import type { Fetch } from "@device-gateway/device-client";
import {
  createUpdateNetwork,
  createUpdater,
  type UpdateNetwork,
  type UpdateOutcome,
  type Updater,
} from "@device-gateway/device-client/update";
import { readFileIfAny, writePrivateFile } from "../private-file.js";
import type { DemoEvent } from "./demo-event.js";
import { createDemoFlash } from "./demo-flash.js";
import { demoKeyId } from "./demo-key.js";
import { updateClock } from "./update-clock.js";

/** The firmware side of the demo gateway: what runs, and how it is replaced. */
export interface DemoFirmware {
  /** The version that runs. */
  running(): Promise<string>;
  /** Takes an update as far as it goes now; `restarting` asks for a new login. */
  update(renewToken: () => Promise<void>): Promise<UpdateOutcome>;
  /** Says what became of its owner's "update now" (contract §6). What is lost is asked for again. */
  answer(requestId: string, message: string): Promise<void>;
}

export interface DemoFirmwareOptions {
  /** What it left the factory as. */
  readonly device: { readonly targetHardware: string; readonly firmwareVersion: string };
  readonly folder: string;
  /** Where devices reach the server: downloads are on it. */
  readonly publicUrl: string;
  /** Where this machine does. */
  readonly url: string;
  /** The public key that the demo gateway was built with. */
  readonly pem: string;
  readonly token: () => string | undefined;
  readonly tell: (event: DemoEvent) => void;
  readonly selfTest: () => Promise<void>;
}

/** Tells of each report that the server has taken. */
const telling = (network: UpdateNetwork, tell: DemoFirmwareOptions["tell"]): UpdateNetwork => ({
  ...network,
  async report(report) {
    const outcome = await network.report(report);
    const { state, version, progress, code, message } = report;
    if (outcome === "delivered")
      tell({ kind: "updating", state, version, progress, code, message });
    return outcome;
  },
});

/** Keeps the demo gateway's firmware in files, and updates it by the reference updater. */
export function createDemoFirmware(options: DemoFirmwareOptions): DemoFirmware {
  const { device, folder, publicUrl, url, pem, token, tell, selfTest } = options;
  const flash = createDemoFlash(join(folder, "demo-flash"), device.firmwareVersion);
  const stateFile = join(folder, "demo-updater.json");
  // From this machine the public address may lead nowhere.
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
      network: telling(network, tell),
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
