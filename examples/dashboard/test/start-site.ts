import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import type { Mail } from "../../server/src/accounts/mail/send-mail.js";
import { demoConfig, demoDevice } from "../../server/src/demo/demo-context.js";
import { type DemoKey, prepareDemoKey } from "../../server/src/demo/firmware/demo-key.js";
import { publishDemoFirmware } from "../../server/src/demo/firmware/publish-demo-firmware.js";
import { startDemo } from "../../server/src/demo/start-demo.js";
import { startServer } from "../../server/src/server.js";
import { Settings } from "../../server/src/settings/settings.js";
import { createPalette } from "../../server/src/terminal/palette.js";
import { createManualWait, type ManualWait } from "./manual-wait.js";

export interface Site {
  readonly url: string;
  /** The link that opens the demo in a browser. */
  readonly demoUrl: string;
  readonly dataDir: string;
  readonly mails: readonly Mail[];
  /** The demo gateway's waits, if `manualWait` is set. */
  readonly demoWait: ManualWait;
  /** The key that signs the demo's firmware. */
  readonly key: DemoKey | null;
  stop(): Promise<void>;
}

const silentTerminal = {
  interactive: false,
  palette: createPalette(false),
  log: { interactive: false, coloured: false },
  print: () => {},
  status: () => {},
  writeLog: () => {},
};

interface SiteOptions {
  readonly environment?: Partial<Settings>;
  readonly pageFolder?: string;
  /** Whether to publish the demo's firmware at the start. Default: true. */
  readonly publish?: boolean;
  /** Whether the demo gateway waits until the test ends its wait. Default: false. */
  readonly manualWait?: boolean;
}

/** Starts the bundled server with its demo gateway, as `npm start` does, in a temporary folder. */
export async function startSite({
  environment = {},
  pageFolder,
  publish = true,
  manualWait: drowsy = false,
}: SiteOptions = {}): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), "device-gateway-site-"));
  const { DEMO = true } = environment;
  // Sign-ups are limited by client address. Without the demo, which needs a client of this machine, a test may name others.
  const common = { PORT: 0, DEMO, TRUSTED_PROXIES: DEMO ? 0 : 1, DATA_DIR: dataDir };
  const settings = Settings.parse({ ...common, ...environment });
  const mails: Mail[] = [];
  const key = await prepareDemoKey(settings);
  const server = await startServer(settings, {
    logger: silentLogger,
    configByTargetHardware: { [demoDevice.targetHardware]: demoConfig },
    ...(pageFolder !== undefined && { pageFolder }),
    sendMail: async (mail) => void mails.push(mail),
  });
  if (publish && key !== null) await publishDemoFirmware(server.gateway, key);
  const { url, demoUrl = url } = server;
  const naps = createManualWait();
  const demo = settings.DEMO
    ? startDemo(settings, { url, key, ...(drowsy && { wait: naps.wait }) }, silentTerminal)
    : undefined;
  return {
    url,
    demoUrl,
    key,
    demoWait: naps,
    dataDir,
    mails,
    async stop() {
      await Promise.all([demo?.stop(), server.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
