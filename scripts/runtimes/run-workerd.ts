import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleEntry } from "./bundle-entry.js";
import type { Results } from "./vitest-shim.js";

interface Miniflare {
  dispatchFetch(url: string, init?: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

/** Starts a worker with the program of worker-entry.ts. */
async function startWorker(folder: string): Promise<Miniflare> {
  const scriptPath = join(folder, "worker.mjs");
  await bundleEntry("worker-entry.ts", scriptPath, "browser");
  const require = createRequire(join(folder, "package.json"));
  const { Miniflare } = (await import(pathToFileURL(require.resolve("miniflare")).href)) as {
    Miniflare: new (options: object) => Miniflare;
  };
  return new Miniflare({
    modules: true,
    scriptPath,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  });
}

type Call = (path: string, init?: RequestInit, token?: string) => Promise<Response>;

/** What the wire suite cannot test, because it runs within one request: a gateway that several requests share. */
async function tryAcrossRequests(call: Call): Promise<Record<string, boolean>> {
  const post = async (path: string, body: object, token?: string) => {
    const response = await call(path, { method: "POST", body: JSON.stringify(body) }, token);
    return (await response.json()) as Record<string, unknown>;
  };
  const device = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
  const registered = await post("device/register", { ...device, claimCode: "ABCD-EFGH" });
  const token = String(registered["token"]);
  const sent = await post("telemetry", { soc: 64 }, token);
  const offered = await call("ota/latest", {}, token);
  const offer = (await offered.json()) as { downloadUrl?: string; size?: number };
  const { downloadUrl = "", size } = offer;
  const image = await call(downloadUrl.split("/api/v1/")[1] ?? "", {}, token);
  return {
    "a device that one request registered sends telemetry in another": sent["accepted"] === 1,
    "a download has a Content-Length": image.headers.get("content-length") === String(size),
    "a download is complete": (await image.arrayBuffer()).byteLength === size,
  };
}

/** Runs the wire suite in workerd, then tries requests to a gateway that lives across them. */
export async function runWorkerd(folder: string): Promise<Results> {
  const worker = await startWorker(folder);
  try {
    const suite = await worker.dispatchFetch("http://worker.test/suite");
    const { passed, failed } = (await suite.json()) as Results;
    const tried = await tryAcrossRequests((path, init, token = "") => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      return worker.dispatchFetch(`http://worker.test/api/v1/${path}`, { ...init, headers });
    });
    const titles = (wanted: boolean) =>
      Object.keys(tried).filter((title) => tried[title] === wanted);
    return {
      passed: [...passed, ...titles(true)],
      failed: [...failed, ...titles(false).map((title) => ({ title, reason: "It is not so." }))],
    };
  } finally {
    await worker.dispose();
  }
}
