import { setTimeout as wait } from "node:timers/promises";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Observed } from "../load/post-load.js";

/** Repeats requests of other kinds than telemetry. */
export interface Probe {
  stop(): Promise<void>;
}

export interface ProbeOptions {
  readonly deviceId?: string;
  /** Whether the device also sends telemetry with news of updates, and must be offered a release. */
  readonly updates?: boolean;
}

const offerPath = "/api/v1/ota/latest?currentVersion=1.0.0";

export async function startProbe(
  url: string,
  observe: (observed: Observed, what: string) => void,
  { deviceId = "probe", updates = false }: ProbeOptions = {},
): Promise<Probe> {
  const client = createDeviceClient({ baseUrl: url });
  const identity = { deviceId, hardwareId: "board", firmwareVersion: "1.0.0" };
  const registered = await client.register({ ...identity, claimCode: "ABCD-EFGH" });
  const { token, deviceSecret } = registered._unsafeUnwrap();
  const authorization = `Bearer ${token}`;
  const login = JSON.stringify({ deviceId, firmwareVersion: "1.0.0", deviceSecret });
  const json = { "content-type": "application/json" };
  let sent = 0;
  const news = () => ({
    temperature: sent,
    ota: { lastCheckSucceeded: true, message: `${sent++}` },
  });
  const toTelemetry = (): RequestInit => ({
    ...{ method: "POST", headers: { ...json, authorization } },
    body: JSON.stringify(news()),
  });
  const requests: readonly (readonly [string, () => RequestInit])[] = [
    ["/readyz", () => ({})],
    ["/api/v1/device/config", () => ({ headers: { authorization } })],
    [offerPath, () => ({ headers: { authorization } })],
    ["/api/v1/device/login", () => ({ method: "POST", headers: json, body: login })],
    ...(updates ? ([["/api/v1/telemetry", toTelemetry]] as const) : []),
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
    const body = typeof answer === "string" ? "" : await answer.text();
    const isMissing =
      updates &&
      path === offerPath &&
      got.status === 200 &&
      !body.includes('"updateAvailable":true');
    const what = path.split("?")[0] ?? path;
    observe(isMissing ? { ...got, status: null, fault: "no offer" } : got, what);
  }
  const asking = requests.map(async ([path, init]) => {
    while (!stopping) {
      await ask(path, init());
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
