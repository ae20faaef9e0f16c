import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleEntry } from "./bundle-entry.js";
import { tryAcrossRequests } from "./try-across-requests.js";
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

/** Runs the wire suite in workerd, then tries requests to a gateway that lives across them. */
export async function runWorkerd(folder: string): Promise<Results> {
  const worker = await startWorker(folder);
  try {
    const suite = await worker.dispatchFetch("http://worker.test/suite");
    const { passed, failed } = (await suite.json()) as Results;
    const tried = await tryAcrossRequests((path, init) =>
      worker.dispatchFetch(`http://worker.test/api/v1/${path}`, init),
    );
    return {
      passed: [...passed, ...tried.passed],
      failed: [...failed, ...tried.failed],
    };
  } finally {
    await worker.dispose();
  }
}
