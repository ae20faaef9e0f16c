import { createDeviceClient, type DeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { buildPage } from "./build-page.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { type Site, startSite } from "./start-site.js";

export const email = "ann@example.com";
export const deviceId = "gw-1";
const claimCode = "ABCD-EFGH-JKLM-NPQR";

export interface ClaimedGateway {
  readonly site: Site;
  readonly browser: Browser;
  /** A page in which the owner, who is also an operator, is signed in. */
  readonly page: Page;
  readonly account: ReturnType<typeof createBrowser>;
  /** The client of `gw-1`. */
  readonly gateway: DeviceClient;
  /** Registers another gateway that nobody has claimed, and logs it in. */
  registerOther(deviceId: string): Promise<DeviceClient>;
  close(): Promise<void>;
}

/** Starts a site without the demo, and registers the gateway `gw-1`, which `ann@example.com` claims. `timeout` is in ms. */
export async function openClaimedGateway(timeout: number): Promise<ClaimedGateway> {
  const pageFolder = await buildPage();
  // The settings parse this list from text.
  const operators = email as unknown as string[];
  const environment = { DEMO: false, OPERATOR_EMAILS: operators };
  const [site, browser] = await Promise.all([
    startSite({ pageFolder, environment }),
    openBrowser(),
  ]);
  /** Returns a client that is logged in. */
  async function register(id: string): Promise<DeviceClient> {
    const client = createDeviceClient({ baseUrl: site.url });
    const firmware = { targetHardware: "board", firmwareVersion: "1.0.0" };
    const registration = { deviceId: id, hardwareId: "board-1", claimCode, ...firmware };
    const { deviceSecret } = (await client.register(registration))._unsafeUnwrap();
    (await client.login({ deviceId: id, deviceSecret }))._unsafeUnwrap();
    return client;
  }

  const gateway = await register(deviceId);
  const account = createBrowser(site.url);
  const page = await openAccount(site, browser, account, { email, timeout });
  expect((await account.claim(deviceId, claimCode)).status).toBe(200);
  return {
    ...{ site, browser, page, account, gateway },
    registerOther: register,
    async close() {
      await closePages(browser);
      await site.stop();
    },
  };
}
