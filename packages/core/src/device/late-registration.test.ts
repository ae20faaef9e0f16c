import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test, vi } from "vitest";
import { ClientGoneError } from "../http/request/client-gone-error.js";
import { createGateway, type GatewayOptions, generateSecrets } from "../index.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";

const identity = { deviceId: "gw-1", hardwareId: "hw-1", claimCode: "ABCD-EFGH" };

async function openDevice(options: Partial<GatewayOptions> = {}) {
  const store = createMemoryStore();
  const gateway = await createGateway({
    ...{ store, secrets: generateSecrets(), scryptCost: { logN: 4, r: 8, p: 1 } },
    ...options,
  });
  const call = async (path: string, value: object, turn = async () => {}) => {
    const { status, body } = await gateway.handle({
      ...{ method: "POST", path: `/api/v1/device/${path}`, query: "", turn },
      clientAddress: "192.0.2.1",
      header: () => undefined,
      json: async () => ({ kind: "value", value }),
      async *stream() {},
    });
    return { status, deviceSecret: String(JSON.parse(String(body)).deviceSecret) };
  };
  const register = (changes: object = {}, turn?: () => Promise<void>) =>
    call("register", { ...identity, firmwareVersion: "1.0.0", ...changes }, turn);
  const { deviceSecret } = await register();
  const login = (secret: string) => call("login", { deviceId: "gw-1", deviceSecret: secret });
  return { store, register, login, deviceSecret };
}

test("§1 a registration that its client has given up does not replace the secret of a later one", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let isHeld = false;
  const hold = async ({ known }: { known: unknown }): Promise<undefined> => {
    if (known === null || isHeld) return;
    isHeld = true;
    await held;
  };
  const { register, login, deviceSecret } = await openDevice({ before: { register: hold } });
  let isGone = false;
  const abandoned = register({ deviceSecret }, async () => {
    if (isGone) throw new ClientGoneError("The client disconnected.");
  });
  await expect.poll(() => isHeld).toBe(true);
  isGone = true;
  const later = await register({ deviceSecret });
  expect(later.status).toBe(200);
  release();
  expect((await abandoned).status).toBe(503);
  expect((await login(later.deviceSecret)).status).toBe(200);
});

test("§1 a registration that fails leaves the secret as it was", async () => {
  const { store, register, login, deviceSecret } = await openDevice();
  expect((await login(deviceSecret)).status).toBe(200);
  const rotate = vi.spyOn(store.devices, "rotate");
  vi.spyOn(store.updates, "report").mockRejectedValueOnce(
    new StoreUnavailableError("The database does not answer."),
  );
  const newVersion = { deviceSecret, firmwareVersion: "1.1.0" };
  expect((await register(newVersion)).status).toBe(503);
  expect(rotate).not.toHaveBeenCalled();
  const again = await register(newVersion);
  expect([again.status, (await login(again.deviceSecret)).status]).toEqual([200, 200]);
});
