import { operator } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { useAccountServer } from "../testing/use-account-server.js";

useCheapScrypt();

const claimCode = "7K2M-9QXT-4HNB-W5RD";
const newCode = "3FJC-8PLV-6ZSA-Y2GE";

describe("waiting for a new gateway", () => {
  const { server, newBrowser, mailTo } = useAccountServer("sqlite");

  const signUp = async (email: string) => {
    const browser = newBrowser();
    await browser.signUp(email);
    await expect.poll(() => mailTo(email, "Verify")).toBeDefined();
    expect((await browser.verify(mailTo(email, "Verify"))).status).toBe(200);
    return browser;
  };
  type Browser = Awaited<ReturnType<typeof signUp>>;
  const wait = (browser: Browser, deviceId: string, code = claimCode, headers = {}) =>
    browser.call("POST", "/api/site/first-contact", { deviceId, claimCode: code }, headers);
  const isClaimed = async (...args: Parameters<typeof wait>) =>
    ((await (await wait(...args)).json()) as { claimed: boolean }).claimed;
  /** Registers a device. Without a secret, it is a new one. Returns its secret. */
  const register = async (deviceId: string, code = claimCode, secret?: string) => {
    const device = createDeviceClient({ baseUrl: server().url });
    const registered = await device.register({
      ...{ deviceId, hardwareId: "board-1", firmwareVersion: "1.0.0", claimCode: code },
      ...(secret !== undefined && { deviceSecret: secret }),
    });
    return registered._unsafeUnwrap().deviceSecret;
  };
  const untilClaimed = (...args: Parameters<typeof wait>) =>
    expect.poll(() => isClaimed(...args)).toBe(true);
  const release = async (browser: Browser, deviceId: string) => {
    const { token } = await (await browser.call("POST", "/api/auth/token")).json();
    const path = `/api/v1/user/devices/${deviceId}/claim`;
    const authorization = `Bearer ${token}`;
    expect((await browser.call("DELETE", path, undefined, { authorization })).status).toBe(204);
  };
  /** Resolves when a code was refused. */
  const untilRefused = () =>
    new Promise<void>((resolve) => {
      const stopListening = server().gateway.on("code.refused", () => {
        stopListening();
        resolve();
      });
    });

  test("§3 a user who waits with the right code owns the gateway as soon as it registers", async () => {
    const ann = await signUp("ann@example.com");
    expect(await isClaimed(ann, "new-1")).toBe(false);
    await register("new-1");
    await untilClaimed(ann, "new-1");
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

  test("a user who released or lost a gateway waits until it has registered again with the new code", async () => {
    const eva = await signUp("eva@example.com");
    const secret = await register("new-4");
    await untilClaimed(eva, "new-4");
    await release(eva, "new-4");
    // The gateway still has its earlier code.
    const refused = untilRefused();
    expect(await isClaimed(eva, "new-4", newCode)).toBe(false);
    await refused;
    await register("new-4", newCode, secret);
    await untilClaimed(eva, "new-4", newCode);

    const params = { deviceId: "new-4" };
    const erased = await server()
      .gateway.as(operator({ id: "ops" }))
      .eraseDevice({ params });
    expect(erased.isOk()).toBe(true);
    expect(await isClaimed(eva, "new-4", newCode)).toBe(false);
    await register("new-4");
    await untilClaimed(eva, "new-4");
  });

  test("a gateway that its owner releases goes to a user who already waits with the code", async () => {
    const [finn, gina] = [await signUp("finn@example.com"), await signUp("gina@example.com")];
    await register("new-5");
    expect((await finn.claim("new-5", claimCode)).status).toBe(200);
    for (let asks = 0; asks < 20; asks += 1) {
      expect(await isClaimed(gina, "new-5")).toBe(false);
    }
    await release(finn, "new-5");
    await untilClaimed(gina, "new-5");
  });

  test("a code that was not checked, because too many others were wrong, is tried again later", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const hugo = await signUp("hugo@example.com");
    await register("new-6");
    for (let guesses = 0; guesses < 5; guesses += 1) {
      expect((await hugo.claim("new-6", newCode)).status).toBe(401);
    }
    for (let asks = 0; asks < 20; asks += 1) {
      expect(await isClaimed(hugo, "new-6")).toBe(false);
    }
    vi.setSystemTime(Date.now() + 16 * 60_000);
    await untilClaimed(hugo, "new-6");
  });
});

describe("without verified addresses", () => {
  const { server, newBrowser } = useAccountServer("sqlite", { REQUIRE_VERIFIED_EMAIL: false });

  test("a user whose address is not verified owns the gateway for which the user waits", async () => {
    const ann = newBrowser();
    await ann.signUp("ann@example.com");
    const device = createDeviceClient({ baseUrl: server().url });
    const registration = { deviceId: "new-1", hardwareId: "board-1", firmwareVersion: "1.0.0" };
    (await device.register({ ...registration, claimCode }))._unsafeUnwrap();
    const isClaimed = async () => {
      const body = { deviceId: "new-1", claimCode };
      const response = await ann.call("POST", "/api/site/first-contact", body);
      return ((await response.json()) as { claimed: boolean }).claimed;
    };
    await expect.poll(isClaimed).toBe(true);
  });
});
