import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { bundleEntry } from "./bundle-entry.js";
import { tryAcrossRequests } from "./try-across-requests.js";
import type { Results } from "./vitest-shim.js";

const route = `import { handler } from "../../../gateway.mjs";
export { handler as GET, handler as POST, handler as PUT, handler as PATCH, handler as DELETE };
`;
const layout = "export default ({ children }) => children;\n";
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" as const };

/** Writes an app whose only route serves a gateway, and builds it. */
async function buildApp(folder: string): Promise<string> {
  const app = join(folder, "next-app");
  await rm(app, { recursive: true, force: true });
  const routeFolder = join(app, "app", "iot", "[...path]");
  await mkdir(routeFolder, { recursive: true });
  await bundleEntry("next-entry.ts", join(app, "gateway.mjs"), "node");
  await writeFile(join(routeFolder, "route.js"), route);
  await writeFile(join(app, "app", "layout.js"), layout);
  await writeFile(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  const next = join(folder, "node_modules", ".bin", "next");
  await promisify(execFile)(next, ["build"], { cwd: app, env });
  return app;
}

/** Builds an app with Next, starts it, and tries its gateway. */
export async function runNext(folder: string): Promise<Results> {
  const cwd = await buildApp(folder);
  const next = join(folder, "node_modules", "next", "dist", "bin", "next");
  const args = [next, "start", "--port", "0"];
  const server = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: server.stdout })) {
      url ??= /https?:\/\/localhost:\d+/.exec(line)?.[0];
      if (/Ready/.test(line)) break;
    }
    if (url === undefined) throw new Error("Next printed no URL.");
    return await tryAcrossRequests((path, init) => fetch(`${url}/iot/api/v1/${path}`, init));
  } finally {
    server.kill();
    await once(server, "exit");
  }
}
