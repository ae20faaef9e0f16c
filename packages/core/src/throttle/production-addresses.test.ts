import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway, type Gateway } from "../gateway.js";

const line = "192.0.2.1";
const elsewhere = "198.51.100.1";

/** Creates a gateway with a production line, and a function that returns the status of a device's request. */
async function openLine() {
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    limits: { authPerMinute: 5 },
    productionAddresses: ["192.0.2.0/24"],
    clock: { now: () => 1_700_000_000_000 },
  });
  const call = async (path: string, clientAddress: string, changes: object = {}) => {
    const firmware = { hardwareId: "esp32", firmwareVersion: "1.0.0" };
    const value = { deviceId: "gw-1", ...firmware, claimCode: "ABCD-EFGH", ...changes };
    const { status } = await gateway.handle({
      method: "POST",
      path: `/api/v1/device/${path}`,
      query: "",
      clientAddress,
      header: () => undefined,
      json: async () => ({ kind: "value", value }),
      stream: () => {
        throw new Error("not a stream");
      },
    } satisfies Parameters<Gateway["handle"]>[0]);
    return status;
  };
  const callTimes = async (times: number, ...[path, address, changes]: Parameters<typeof call>) => {
    const statuses: number[] = [];
    for (let n = 0; n < times; n++) {
      statuses.push(await call(path, address, { deviceId: `${address}-${n}`, ...changes }));
    }
    return statuses;
  };
  return { call, callTimes };
}

const times = (count: number, status: number) => Array<number>(count).fill(status);

test("§9 a production address registers any number of devices a minute, and another address does not", async () => {
  const { callTimes } = await openLine();
  expect(await callTimes(8, "register", line)).toEqual(times(8, 201));
  expect(await callTimes(8, "register", elsewhere)).toEqual([...times(5, 201), ...times(3, 429)]);
});

test("§9 a production address is exempt from no other limit: failed logins and wrong claim codes", async () => {
  const { call, callTimes } = await openLine();
  expect(await call("register", line)).toBe(201);
  const guess = { deviceId: "gw-1", deviceSecret: "wrong" };
  expect(await callTimes(8, "login", line, guess)).toEqual([...times(5, 401), ...times(3, 429)]);
  const wrongCode = { deviceId: "gw-1", claimCode: "WRONG-ONE" };
  const refused = await callTimes(7, "register", line, wrongCode);
  expect(refused).toEqual([...times(5, 409), ...times(2, 429)]);
});
