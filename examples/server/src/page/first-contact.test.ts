import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, test, vi } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { useAccountServer } from "../testing/use-account-server.js";

useCheapScrypt();

const claimCode = "7K2M-9QXT-4HNB-W5RD";

describe("waiting for a new gateway", () => {
  const { server, newBrowser, mailTo } = useAccountServer("sqlite");

  const signUp = async (email: string) => {
    const browser = newBrowser();
    await browser.signUp(email);
    await vi.waitFor(() => expect(mailTo(email, "Verify")).toBeDefined());
    expect((await browser.verify(mailTo(email, "Verify"))).status).toBe(200);
    return browser;
  };
  type Browser = Awaited<ReturnType<typeof signUp>>;
  const wait = (browser: Browser, deviceId: string, code = claimCode, headers = {}) =>
    browser.call("POST", "/api/site/first-contact", { deviceId, claimCode: code }, headers);
  const isClaimed = async (...args: Parameters<typeof wait>) =>
    ((await (await wait(...args)).json()) as { claimed: boolean }).claimed;
  const register = async (deviceId: string) => {
    const device = createDeviceClient({ baseUrl: server().url });
    const identity = { deviceId, hardwareId: "board-1", firmwareVersion: "1.0.0", claimCode };
    (await device.register(identity))._unsafeUnwrap();
  };

  test("§3 a user who waits with the right code owns the gateway as soon as it registers", async () => {
    const ann = await signUp("ann@example.com");
    expect(await isClaimed(ann, "new-1")).toBe(false);
    await register("new-1");
    await vi.waitFor(async () => expect(await isClaimed(ann, "new-1")).toBe(true));
    const devices = await (await ann.call("GET", "/api/v1/dashboard/devices")).json();
    expect(devices.devices).toMatchObject([{ id: "new-1", isOwner: true }]);
  });

  test("§3 waiting gives no further guesses: a code is tried once for each registration", async () => {
    const mallory = await signUp("mallory@example.com");
    const ben = await signUp("ben@example.com");
    await register("new-2");
    await isClaimed(mallory, "new-2", "WRONG-CODE-0000");
    for (let guesses = 0; guesses < 20; guesses += 1) {
      expect(await isClaimed(mallory, "new-2", claimCode)).toBe(false);
    }
    // The device still has no owner, so the user with the label can claim it.
    expect((await ben.claim("new-2", claimCode)).status).toBe(200);
    expect(await isClaimed(mallory, "new-2", claimCode)).toBe(false);
  });

  test("§3 only a signed-in user with a verified address waits, and only from the server's own page", async () => {
    await register("new-3");
    expect((await wait(newBrowser(), "new-3")).status).toBe(401);
    const foreign = { "sec-fetch-site": "cross-site" };
    const carl = newBrowser();
    await carl.signUp("carl@example.com");
    expect((await wait(carl, "new-3", claimCode, foreign)).status).toBe(403);
    const { cookie } = carl;
    const body = JSON.stringify({ deviceId: "new-3", claimCode });
    const post = (headers: Record<string, string>) =>
      fetch(`${server().url}/api/site/first-contact`, {
        ...{ method: "POST", body },
        headers: { "content-type": "application/json", cookie: cookie(), ...headers },
      });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: "https://evil.test" })).status).toBe(403);
    expect((await post({ origin: server().url })).status).toBe(200);
    expect((await carl.call("POST", "/api/site/first-contact", {})).status).toBe(400);
    expect(await isClaimed(carl, "new-3")).toBe(false);
    const dora = await signUp("dora@example.com");
    expect((await dora.claim("new-3", claimCode)).status).toBe(200);
    expect(await isClaimed(carl, "new-3")).toBe(false);
  });
});
