import { setTimeout as wait } from "node:timers/promises";
import { fieldRecord } from "@device-gateway/testing";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import { createHonestClient, type HonestRequest } from "./honest-client.js";
import { claimDevice, registerDevice } from "./requests/identities.js";

/** An honest request with its result. `ms` counts from the time when it was due. */
export interface HonestSample {
  readonly kind: string;
  readonly ms: number;
  readonly status: number | null;
  readonly fault: string;
}

/** The fixed honest load: devices, an owner who reads charts, and a customer who claims a device. */
export interface HonestLoad {
  /** Each client sends its requests when they are due, for `ms`. A waiting client does not delay the others. */
  runFor(ms: number): Promise<HonestSample[]>;
  /** Each client sends its request once. Logins are left out after some rounds, because a device may log in 20 times at once. */
  runOnce(): Promise<HonestSample[]>;
  close(): void;
}

interface Habit {
  readonly kind: string;
  readonly everyMs: number;
  readonly request: () => Promise<HonestRequest>;
  readonly address: string;
}

const owner = "honest-owner";
const mostLogins = 15;

/** Creates the load: registers the devices and has their owner claim them. */
export async function createHonestLoad(
  url: string,
  port: number,
  devices: number,
): Promise<HonestLoad> {
  const habits: Habit[] = [];
  const tokenOfOwner = async () => ({ authorization: `Bearer ${await signCustomer(owner)}` });
  for (let n = 0; n < devices; n++) {
    const address = `198.51.100.${n + 1}`;
    const deviceId = `honest-${n}`;
    const device = await registerDevice(url, deviceId, address);
    await claimDevice(url, deviceId, owner, "203.0.113.1");
    const headers = { authorization: `Bearer ${device.token}` };
    const { deviceSecret } = device;
    const own = (kind: string, everyMs: number, request: HonestRequest): Habit => ({
      ...{ kind, everyMs, address },
      request: async () => request,
    });
    const login = { method: "POST", path: "/api/v1/device/login", headers: {} } as const;
    const record = { method: "POST", path: "/api/v1/telemetry", headers } as const;
    habits.push(
      own("telemetry", 1_000, { ...record, body: fieldRecord }),
      own("config", 1_000, { method: "GET", path: "/api/v1/device/config", headers }),
      own("login", 10_000, { ...login, body: { deviceId, deviceSecret } }),
    );
  }
  const history = "/api/v1/dashboard/devices/honest-0/telemetry/history";
  await registerDevice(url, "honest-claimed", "203.0.113.2");
  const claim = { deviceId: "honest-claimed", claimCode: "ABCD-EFGH" };
  habits.push(
    {
      ...{ kind: "chart", everyMs: 500, address: "203.0.113.1" },
      request: async () => ({ method: "GET", path: history, headers: await tokenOfOwner() }),
    },
    {
      // From the second claim on, the customer already owns the device. The server's work is the same.
      ...{ kind: "claim", everyMs: 1_200, address: "203.0.113.3" },
      request: async () => ({
        ...{ method: "POST", path: "/api/v1/user/devices/claim", body: claim },
        headers: { authorization: `Bearer ${await signCustomer("honest-claimant")}` },
      }),
    },
  );

  const clients = habits.map((habit) => {
    const client = createHonestClient(port);
    return { ...habit, client };
  });
  type Client = (typeof clients)[number];
  const send = async ({ kind, address, client, request }: Client, dueAt: number) => {
    const { headers, ...rest } = await request();
    const answer = await client.send({
      ...rest,
      headers: { ...headers, "x-forwarded-for": address },
    });
    return { kind, ms: performance.now() - dueAt, ...answer };
  };
  // The clients' habits continue from one window to the next, so that no device logs in at the start of each.
  let timeline = 0;
  let once = 0;
  return {
    async runFor(ms) {
      const samples: HonestSample[] = [];
      const from = timeline;
      timeline += ms;
      const startedAt = performance.now();
      const follow = async (client: Client, at: number) => {
        const { everyMs } = client;
        const first = (everyMs * (at + 1)) / (clients.length + 1);
        const past = Math.max(0, Math.ceil((from - first) / everyMs));
        for (let due = first + past * everyMs - from; due < ms; due += everyMs) {
          const left = startedAt + due - performance.now();
          if (left > 0) await wait(left);
          samples.push(await send(client, Math.min(startedAt + due, performance.now())));
        }
      };
      await Promise.all(clients.map(follow));
      return samples;
    },
    runOnce() {
      once += 1;
      const sending = once <= mostLogins ? clients : clients.filter(({ kind }) => kind !== "login");
      return Promise.all(sending.map((client) => send(client, performance.now())));
    },
    close() {
      for (const { client } of clients) client.close();
    },
  };
}
