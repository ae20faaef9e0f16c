import type { GatewayOptions } from "@device-gateway/core";
import type { AttackOptions } from "../attack.js";
import { customer } from "../issuer.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldReply } from "../world.js";

/** A change of a device that invalidates tokens. */
interface Ending {
  readonly name: string;
  readonly options?: Partial<GatewayOptions>;
  /** Makes the change. Returns the tokens that are now invalid, by description. */
  run(device: TestDevice): Promise<Readonly<Record<string, string>>>;
}

/** Requests by and about one device. */
interface TestDevice {
  readonly world: World;
  register(proof?: object): Promise<WorldReply>;
  use(token: string): Promise<WorldReply>;
  claim(): Promise<WorldReply>;
  release(): Promise<WorldReply>;
  operate(method: string, path: string): Promise<WorldReply>;
}

const deviceId = "gw-1";
const dayMs = 86_400_000;

function createTestDevice(world: World): TestDevice {
  const body = { deviceId, hardwareId: "esp32:devkit-v1", firmwareVersion: "0.1.10" };
  const post = (path: string, sent: object, token?: string) =>
    world.send({ method: "POST", path, body: sent, token });
  const owner = () => world.issuer.tokenOf(customer("owner-1"));
  const operator = () => world.issuer.tokenOf(customer("op-1", { roles: ["operator"] }));
  const claimCode = "ABCD-EFGH";
  return {
    world,
    register: (proof = {}) => post("/device/register", { ...body, claimCode, ...proof }),
    use: (token) => world.send({ method: "GET", path: "/device/config", token }),
    claim: async () => post("/user/devices/claim", { deviceId, claimCode }, await owner()),
    release: async () => {
      const path = `/user/devices/${deviceId}/claim`;
      return world.send({ method: "DELETE", path, token: await owner() });
    },
    operate: async (method, path) => {
      const token = await operator();
      return world.send({ method, path: `/operator/devices/${deviceId}${path}`, token });
    },
  };
}

/** Registers the device and uses its token. Returns token and secret. */
async function begin({ register, use }: TestDevice) {
  const reply = need(await register(), 201);
  const token = needText(reply, "token");
  need(await use(token), 200);
  return { token, deviceSecret: needText(reply, "deviceSecret") };
}

const endings: readonly Ending[] = [
  {
    name: "registered again with its secret, and the new one used",
    run: async (device) => {
      const { token, deviceSecret } = await begin(device);
      const next = needText(need(await device.register({ deviceSecret }), 200), "token");
      need(await device.use(token), 200);
      need(await device.use(next), 200);
      return { "the former secret's": token };
    },
  },
  {
    name: "registered again twice, and the last used",
    run: async (device) => {
      const { token, deviceSecret } = await begin(device);
      const second = needText(need(await device.register({ deviceSecret }), 200), "token");
      const third = needText(need(await device.register({ deviceSecret }), 200), "token");
      need(await device.use(third), 200);
      return { "the first secret's": token, "the second, never used,": second };
    },
  },
  {
    name: "rotated at a login",
    options: { rotateSecretAfterSeconds: 1 },
    run: async (device) => {
      const { token, deviceSecret } = await begin(device);
      device.world.clock.advance(2_000);
      const body = { deviceId, deviceSecret };
      const reply = await device.world.send({ method: "POST", path: "/device/login", body });
      need(await device.use(needText(reply, "token")), 200);
      return { "the former secret's": token };
    },
  },
  {
    name: "used until it expired",
    run: async (device) => {
      const { token } = await begin(device);
      device.world.clock.advance(dayMs - 1_000);
      need(await device.use(token), 200);
      return { "an expired": token };
    },
  },
  {
    name: "released",
    run: async (device) => {
      const { token, deviceSecret } = await begin(device);
      need(await device.claim(), 200);
      const pending = needText(need(await device.register({ deviceSecret }), 200), "token");
      need(await device.release(), 204);
      return { "the current secret's": token, "the pending secret's": pending };
    },
  },
  {
    name: "revoked",
    run: async (device) => {
      const { token } = await begin(device);
      need(await device.operate("POST", "/revoke"), 200);
      return { "a revoked device's": token };
    },
  },
  {
    name: "revoked and reinstated",
    run: async (device) => {
      const { token, deviceSecret } = await begin(device);
      const pending = needText(need(await device.register({ deviceSecret }), 200), "token");
      need(await device.operate("POST", "/revoke"), 200);
      need(await device.operate("POST", "/reinstate"), 200);
      return { "the current secret's": token, "the pending secret's": pending };
    },
  },
  {
    name: "erased",
    run: async (device) => {
      const { token } = await begin(device);
      need(await device.operate("DELETE", ""), 204);
      return { "an erased device's": token };
    },
  },
  {
    name: "erased, and another registered under its id",
    run: async (device) => {
      const { token } = await begin(device);
      need(await device.operate("DELETE", ""), 204);
      device.world.clock.advance(60_000);
      need(await device.register({ claimCode: "ANOTHER-1" }), 201);
      return { "an erased device's": token };
    },
  },
  {
    name: "dropped unused, and another registered under its id",
    options: { limits: { unusedRegistrationDays: 1, tokenTtlSeconds: 604_800 } },
    run: async (device) => {
      const token = needText(need(await device.register(), 201), "token");
      device.world.clock.advance(dayMs + 60_000);
      need(await device.register({ claimCode: "ANOTHER-1" }), 201);
      return { "a dropped registration's": token };
    },
  },
];

/** How long another process may still accept an invalidated token (§2). */
const graceMs = 1_000;

/**
 * Makes each change at one gateway, then tries the old tokens at this gateway and at another one that has
 * cached the device. Returns what is wrong, and how many tokens were tried.
 */
export async function tryOldEpochs({ seed, store, plants }: AttackOptions) {
  const found: string[] = [];
  let tried = 0;
  for (const { name, options, run } of endings) {
    const storage = await createStorage(store);
    const common = { storage, seed, gateways: 2, plants };
    const world = await openWorld({ ...common, ...(options && { options }) });
    const device = createTestDevice(world);
    // The other gateway caches the device before each step.
    const use = async (token: string) => {
      await world.send({ method: "GET", path: "/device/config", token }, 1);
      return device.use(token);
    };
    const invalid = await run({ ...device, use });
    world.clock.advance(graceMs);
    for (const [what, token] of Object.entries(invalid)) {
      for (const gateway of [0, 1]) {
        tried++;
        const request = { method: "GET", path: "/device/config", token };
        const { status } = await world.send(request, gateway);
        if (status === 401) continue;
        found.push(`${name}: ${what} token gets ${status} at gateway ${gateway} after 1 s`);
      }
    }
    await world.close();
    await storage.remove();
  }
  return { found, tried };
}
