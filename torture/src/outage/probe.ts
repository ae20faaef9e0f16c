import { setTimeout as wait } from "node:timers/promises";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Observed } from "../load/post-load.js";

/** Repeats requests of other kinds than telemetry. */
export interface Probe {
  stop(): Promise<void>;
}

export async function startProbe(
  url: string,
  observe: (observed: Observed, what: string) => void,
): Promise<Probe> {
  const client = createDeviceClient({ baseUrl: url });
  const identity = { deviceId: "probe", hardwareId: "board", firmwareVersion: "1.0.0" };
  const registered = await client.register({ ...identity, claimCode: "ABCD-EFGH" });
  const { token, deviceSecret } = registered._unsafeUnwrap();
  const authorization = `Bearer ${token}`;
  const login = JSON.stringify({ deviceId: "probe", firmwareVersion: "1.0.0", deviceSecret });
  const json = { "content-type": "application/json" };
  const requests: readonly [string, RequestInit][] = [
    ["/readyz", {}],
    ["/api/v1/device/config", { headers: { authorization } }],
    ["/api/v1/ota/latest?currentVersion=1.0.0", { headers: { authorization } }],
    ["/api/v1/device/login", { method: "POST", headers: json, body: login }],
  ];
  let stopping = false;

  async function ask(path: string, init: RequestInit): Promise<void> {
    const startedAt = performance.now();
    const answer = await fetch(url + path, init).catch((error: unknown) => String(error));
    const ms = performance.now() - startedAt;
    const got =
      typeof answer === "string"
        ? { status: null, retryAfter: undefined, fault: answer, ms }
        : {
            status: answer.status,
            retryAfter: answer.headers.get("retry-after") ?? undefined,
            fault: undefined,
            ms,
          };
    if (typeof answer !== "string") await answer.arrayBuffer();
    observe(got, path.split("?")[0] ?? path);
  }
  const asking = requests.map(async ([path, init]) => {
    while (!stopping) {
      await ask(path, init);
      await wait(30);
    }
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(asking);
    },
  };
}
