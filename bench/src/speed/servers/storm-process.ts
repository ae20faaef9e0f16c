/**
 * Devices that return at once after an outage. Half of them wait as Retry-After says. The other half behave like field
 * firmware: they register after a failed login, retry at a fixed interval, ignore Retry-After, and share 20 addresses.
 */
import { request } from "node:http";
import { constants, setPriority } from "node:os";
import { answerQuestions } from "./answer-questions.js";

export interface StormTask {
  readonly port: number;
  readonly deviceIds: readonly string[];
  readonly deviceSecret: string;
  readonly registration: Readonly<Record<string, string>>;
}

export interface StormResult {
  /** How many devices got a token. */
  readonly returned: number;
  /** Seconds from the start until the last device got its token. */
  readonly seconds: number;
  /** Responses by route and status. */
  readonly answers: Readonly<Record<string, number>>;
}

const sharedAddresses = 20;
const fixedIntervalMs = 5_000;
/** Time after which devices give up. */
const mostMs = 300_000;
/** Sockets that this process may open at once. All other devices wait in the order in which they became due. */
const mostSockets = 8_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const answers: Record<string, number> = {};
const queue: (() => void)[] = [];
let sockets = 0;

async function post(port: number, route: string, address: string, value: object) {
  if (sockets >= mostSockets) await new Promise<void>((resolve) => queue.push(resolve));
  sockets += 1;
  const body = JSON.stringify(value);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-forwarded-for": address,
  };
  const answer = await new Promise<{ status: number; retryAfter: number }>((resolve) => {
    const path = `/api/v1/device/${route}`;
    const options = { host: "127.0.0.1", port, path, method: "POST", headers, agent: false };
    const sent = request(options, (response) => {
      const retryAfter = Number(response.headers["retry-after"] ?? 1);
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, retryAfter }));
      response.on("error", () => resolve({ status: 0, retryAfter: 1 }));
    });
    sent.on("error", () => resolve({ status: 0, retryAfter: 1 })).end(body);
  });
  sockets -= 1;
  queue.shift()?.();
  const kind = `${route} ${answer.status === 0 ? "broken off" : answer.status}`;
  answers[kind] = (answers[kind] ?? 0) + 1;
  return answer;
}

async function run({
  port,
  deviceIds,
  deviceSecret,
  registration,
}: StormTask): Promise<StormResult> {
  const start = performance.now();
  const isLate = () => performance.now() - start > mostMs;
  let returned = 0;
  let lastAt = start;
  const arrive = () => {
    returned += 1;
    lastAt = performance.now();
  };
  const isIn = ({ status }: { status: number }) => status === 200 || status === 201;

  async function returnPolitely(deviceId: string, n: number): Promise<void> {
    const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    while (!isLate()) {
      const answer = await post(port, "login", address, { deviceId, deviceSecret });
      if (isIn(answer)) return arrive();
      await pause(answer.retryAfter * 1_000 * (1 + Math.random() / 2));
    }
  }

  async function returnLikeFirmware(deviceId: string, n: number): Promise<void> {
    const address = `198.51.100.${n % sharedAddresses}`;
    while (!isLate()) {
      if (isIn(await post(port, "login", address, { deviceId, deviceSecret }))) return arrive();
      if (isIn(await post(port, "register", address, { deviceId, ...registration })))
        return arrive();
      await pause(fixedIntervalMs);
    }
  }

  await Promise.all(
    deviceIds.map((deviceId, n) =>
      n % 2 === 0 ? returnPolitely(deviceId, n) : returnLikeFirmware(deviceId, n >> 1),
    ),
  );
  return { returned, seconds: (lastAt - start) / 1_000, answers };
}

// The process that measures the honest telemetry may share this core. The crowd must not slow it down.
setPriority(constants.priority.PRIORITY_LOW);
answerQuestions({ run: (task) => run(task as StormTask) });
process.send?.({ port: 0 });
