import type { Results } from "./vitest-shim.js";

/** Calls a gateway under `/api/v1/`. */
export type Call = (path: string, init: RequestInit) => Promise<Response>;

/** Tries what the wire suite cannot test where it runs within one request: a gateway that several requests share. */
export async function tryAcrossRequests(call: Call): Promise<Results> {
  const send = (path: string, token: string, init: RequestInit = {}) =>
    call(path, {
      ...init,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
  const post = async (path: string, body: object, token = "") => {
    const response = await send(path, token, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  const device = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
  const registered = await post("device/register", { ...device, claimCode: "ABCD-EFGH" });
  const token = String(registered["token"]);
  const sent = await post("telemetry", { soc: 64 }, token);
  const offered = await send("ota/latest", token);
  const offer = (await offered.json()) as { downloadUrl?: string; size?: number };
  const { downloadUrl = "", size } = offer;
  const image = await send(downloadUrl.split("/api/v1/")[1] ?? "", token);
  const refused = await send("telemetry", "wrong", { method: "POST", body: "{}" });
  const tried = {
    "a device that one request registered sends telemetry in another": sent["accepted"] === 1,
    "a wrong token is refused with 401": refused.status === 401,
    "a download has a Content-Length": image.headers.get("content-length") === String(size),
    "a download is complete": (await image.arrayBuffer()).byteLength === size,
  };
  const titles = (wanted: boolean) =>
    Object.entries(tried).flatMap(([title, holds]) => (holds === wanted ? [title] : []));
  return {
    passed: titles(true),
    failed: titles(false).map((title) => ({ title, reason: "It is not so." })),
  };
}
