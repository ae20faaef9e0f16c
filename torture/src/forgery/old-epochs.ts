import type { GatewayOptions } from "@device-gateway/core";
import type { AttackOptions } from "../attack.js";
import { customer } from "../issuer.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldReply } from "../world.js";

/** What can become of a device, and which of its tokens must be dead afterwards. */
interface Fate {
  readonly name: string;
  readonly options?: Partial<GatewayOptions>;
  /** Lets it come to pass; gives back tokens that are dead now, by what they were. */
  run(device: Life): Promise<Readonly<Record<string, string>>>;
}

/** One device's ways to be registered, used, owned and shut out. */
interface Life {
  readonly world: World;
  register(proof?: object): Promise<WorldReply>;
  use(token: string): Promise<WorldReply>;
  claim(): Promise<WorldReply>;
  release(): Promise<WorldReply>;
  operate(method: string, path: string): Promise<WorldReply>;
}

const deviceId = "gw-1";
const dayMs = 86_400_000;

function liveIn(world: World): Life {
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

/** A device in use, and what it was given. */
async function begin({ register, use }: Life) {
  const reply = need(await register(), 201);
  const token = needText(reply, "token");
  need(await use(token), 200);
  return { token, deviceSecret: needText(reply, "deviceSecret") };
}

const fates: readonly Fate[] = [
  {
    name: "registered again by its secret, and the new one used",
    run: async (life) => {
      const { token, deviceSecret } = await begin(life);
      const next = needText(need(await life.register({ deviceSecret }), 200), "token");
      need(await life.use(token), 200);
      need(await life.use(next), 200);
      return { "the former secret's": token };
    },
  },
  {
    name: "registered again twice, and the last used",
    run: async (life) => {
      const { token, deviceSecret } = await begin(life);
      const second = needText(need(await life.register({ deviceSecret }), 200), "token");
      const third = needText(need(await life.register({ deviceSecret }), 200), "token");
      need(await life.use(third), 200);
      return { "the first secret's": token, "the second, never used,": second };
    },
  },
  {
    name: "rotated at a login",
    options: { rotateSecretAfterSeconds: 1 },
    run: async (life) => {
      const { token, deviceSecret } = await begin(life);
      life.world.clock.advance(2_000);
      const body = { deviceId, deviceSecret };
      const reply = await life.world.send({ method: "POST", path: "/device/login", body });
      need(await life.use(needText(reply, "token")), 200);
      return { "the former secret's": token };
    },
  },
  {
    name: "used until it expired",
    run: async (life) => {
      const { token } = await begin(life);
      life.world.clock.advance(dayMs - 1_000);
      need(await life.use(token), 200);
      return { "an expired": token };
    },
  },
  {
    name: "released",
    run: async (life) => {
      const { token, deviceSecret } = await begin(life);
      need(await life.claim(), 200);
      const pending = needText(need(await life.register({ deviceSecret }), 200), "token");
      need(await life.release(), 204);
      return { "the current secret's": token, "the pending secret's": pending };
    },
  },
  {
    name: "revoked",
    run: async (life) => {
      const { token } = await begin(life);
      need(await life.operate("POST", "/revoke"), 200);
      return { "a revoked device's": token };
    },
  },
  {
    name: "revoked and reinstated",
    run: async (life) => {
      const { token, deviceSecret } = await begin(life);
      const pending = needText(need(await life.register({ deviceSecret }), 200), "token");
      need(await life.operate("POST", "/revoke"), 200);
      need(await life.operate("POST", "/reinstate"), 200);
      return { "the current secret's": token, "the pending secret's": pending };
    },
  },
  {
    name: "erased",
    run: async (life) => {
      const { token } = await begin(life);
      need(await life.operate("DELETE", ""), 204);
      return { "an erased device's": token };
    },
  },
  {
    name: "erased, and another registered under its id",
    run: async (life) => {
      const { token } = await begin(life);
      need(await life.operate("DELETE", ""), 204);
      life.world.clock.advance(60_000);
      need(await life.register({ claimCode: "ANOTHER-1" }), 201);
      return { "an erased device's": token };
    },
  },
  {
    name: "dropped unused, and another registered under its id",
    options: { limits: { unusedRegistrationDays: 1, tokenTtlSeconds: 604_800 } },
    run: async (life) => {
      const token = needText(need(await life.register(), 201), "token");
      life.world.clock.advance(dayMs + 60_000);
      need(await life.register({ claimCode: "ANOTHER-1" }), 201);
      return { "a dropped registration's": token };
    },
  },
];

/** How long a dead token may live on in another process (contract §2). */
const graceMs = 1_000;

/**
 * Lets every fate come to pass at one gateway, and tries the tokens of before at it and at another
 * that knew the device. Gives back what is wrong, and how many tokens were tried.
 */
export async function tryOldEpochs({ seed, store, plants }: AttackOptions) {
  const found: string[] = [];
  let tried = 0;
  for (const { name, options, run } of fates) {
    const storage = await createStorage(store);
    const common = { storage, seed, gateways: 2, plants };
    const world = await openWorld({ ...common, ...(options && { options }) });
    const life = liveIn(world);
    // The other gateway knows the device as it was before each step.
    const use = async (token: string) => {
      await world.send({ method: "GET", path: "/device/config", token }, 1);
      return life.use(token);
    };
    const dead = await run({ ...life, use });
    world.clock.advance(graceMs);
    for (const [what, token] of Object.entries(dead)) {
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
