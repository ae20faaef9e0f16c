import { setTimeout as wait } from "node:timers/promises";
import { createDeviceClient } from "@device-gateway/device-client";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import { patienceMs } from "../load/bounded-wait.js";
import { readStored } from "../load/compare-stored.js";

/** Devices whose changes a failover loses. */
export interface LostHistory {
  /** Registers, revokes and sends through the servers. The next failover loses all of it. */
  write(): Promise<void>;
  /** Sends what is like the lost records again, to the new primary. */
  writeAgain(): Promise<void>;
  /** Returns what a server serves that the database does not hold, or the reverse, and which requests it did not serve. */
  findDifferences(devices: readonly string[]): Promise<string[]>;
}

const hardware = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

async function register(url: string, deviceId: string): Promise<string> {
  const registered = await createDeviceClient({ baseUrl: url }).register({ deviceId, ...hardware });
  if (registered.isErr()) throw new Error(registered.error.message);
  return registered.value.token;
}

async function ask(url: string, token: string, method = "GET", body?: object) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => null);
  return { status: response?.status ?? 0, text: (await response?.text().catch(() => "")) ?? "" };
}

export async function prepareLostHistory(
  urls: readonly string[],
  databaseUrl: string,
): Promise<LostHistory> {
  const unserved: string[] = [];
  /** Repeats a request while the service is unavailable. Once a request was not served in time, no other waits as long. */
  async function askUntilServed(url: string, token: string, method = "GET", body?: object) {
    const startedAt = performance.now();
    for (;;) {
      const answer = await ask(url, token, method, body);
      if (answer.status !== 503 && answer.status !== 0) return answer;
      if (unserved.length > 0 || performance.now() - startedAt > patienceMs) {
        unserved.push(`${method} ${url} got no answer but ${answer.status}`);
        return answer;
      }
      await wait(50);
    }
  }
  const [first = ""] = urls;
  const [revoked, sender, registeredLate] = ["revoked", "sender", "registered-late"];
  const revokedToken = await register(first, revoked);
  const senderToken = await register(first, sender);
  const operator = await signCustomer("operator", { roles: ["operator"] });
  let lateToken = "";
  const sendFromAll = (when: string) =>
    Promise.all(
      urls.map((url, place) =>
        // A name of its own gives the record a new shape.
        askUntilServed(`${url}/api/v1/telemetry`, senderToken, "POST", {
          reading: `${when}-${place}`,
          [`new-${place}`]: 1,
        }),
      ),
    );
  const readConfig = (url: string, token: string) =>
    askUntilServed(`${url}/api/v1/device/config`, token);
  await Promise.all(urls.map((url) => readConfig(url, revokedToken)));

  async function readExport(url: string, deviceId: string): Promise<string[] | number> {
    const path = `/api/v1/dashboard/devices/${deviceId}/telemetry/export?format=ndjson`;
    const { status, text } = await askUntilServed(url + path, operator);
    if (status !== 200) return status;
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line) => String((JSON.parse(line) as { reading?: unknown }).reading));
  }
  return {
    async write() {
      await askUntilServed(`${first}/api/v1/operator/devices/${revoked}/revoke`, operator, "POST");
      lateToken = await register(first, registeredLate);
      await Promise.all(urls.map((url) => readConfig(url, lateToken)));
      await sendFromAll("lost");
    },
    async writeAgain() {
      await sendFromAll("kept");
    },
    async findDifferences(devices) {
      const found: string[] = [];
      const store = await openPostgresStore({ url: databaseUrl, poolSize: 2 });
      const expected = async (deviceId: string) => {
        const device = await store.devices.find(deviceId);
        return device !== null && device.revokedAt === null;
      };
      for (const [deviceId, token] of [
        [revoked, revokedToken],
        [registeredLate, lateToken],
      ] as const) {
        const isValid = await expected(deviceId);
        for (const [place, url] of urls.entries()) {
          const { status } = await readConfig(url, token);
          if ((status === 200) !== isValid) found.push(`server ${place}: ${deviceId}: ${status}`);
        }
      }
      for (const deviceId of [sender, ...devices]) {
        const stored = (await readStored(store, deviceId)).sort().join();
        for (const [place, url] of urls.entries()) {
          const served = await readExport(url, deviceId);
          const isSame = typeof served !== "number" && served.sort().join() === stored;
          if (!isSame) found.push(`server ${place}: the export of ${deviceId} differs`);
        }
      }
      await store.close();
      return [...unserved, ...found];
    },
  };
}
