import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("index.ts", import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "iife",
    globalName: "client",
    // Everything must be in the bundle: nothing can be imported where it runs.
    external: [],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

test("the client with everything it imports is smaller than 15 KB compressed", async () => {
  const code = await bundle();
  const size = gzipSync(code, { level: 9 }).length;
  expect(size).toBeLessThan(15 * 1024);
  expect(code).not.toMatch(/node:|process\.|ZodError/);
});

test("the client runs with the globals of a browser alone", async () => {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const url = await cloud.listen();
  const web = {
    fetch,
    Blob,
    ReadableStream,
    crypto,
    setTimeout,
    clearTimeout,
    AbortController,
    URLSearchParams,
  };
  const context = createContext({ ...web, TextEncoder, TextDecoder, Uint8Array, url });
  runInContext(await bundle(), context);
  const answer: unknown = await runInContext(
    `(async () => {
      const identity = { deviceId: "gw-1", hardwareId: "web", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
      const device = client.createDevice({ baseUrl: url, identity, clock: { now: () => ${cloud.clock.now()} } });
      await device.record({ soc: 64 });
      const report = await device.flush();
      return report.isOk() ? report.value.accepted : report.error.message;
    })()`,
    context,
  );
  expect(answer).toBe(1);
});
