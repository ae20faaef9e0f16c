import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@device-gateway/store-memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { anyone, operator } from "../../api/principal.js";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway } from "../../gateway.js";
import { toNodeListener } from "./node-listener.js";

/** The sockets of a proxy and of the gateway behind it, and a folder for the proxy's files. */
interface Places {
  readonly folder: string;
  readonly proxy: string;
  readonly gateway: string;
}

interface Proxy {
  /** Prints its version. */
  readonly probe: readonly string[];
  configure(places: Places): string;
  start(config: string, places: Places): readonly string[];
}

const proxies: Readonly<Record<string, Proxy>> = {
  // The package sets no time-outs: nginx ends a silent response after 60 s.
  nginx: {
    probe: ["nginx", "-v"],
    configure: ({ folder, proxy, gateway }) => `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
      events { }
      http {
        access_log off;
        client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
        uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
        server { listen unix:${proxy}; location / { proxy_pass http://unix:${gateway}:; } }
      }`,
    start: (config, { folder }) => ["nginx", "-p", folder, "-c", config, "-e", "stderr"],
  },
  // The time-outs of the package's configuration. The last two end a silent response after 50 s.
  HAProxy: {
    probe: ["haproxy", "-v"],
    configure: ({ proxy, gateway }) => `
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
listen gateway
  bind unix@${proxy}
  server gateway unix@${gateway}
`,
    start: (config) => ["haproxy", "-db", "-f", config],
  },
};

function isInstalled([command = "", ...words]: readonly string[]): boolean {
  try {
    execFileSync(command, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function get(socketPath: string, path: string, token: string) {
  const sent = request({ socketPath, path, headers: { authorization: `Bearer ${token}` } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode, body: JSON.parse(text) as { commands?: unknown[] } };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

/**
 * Deletes the folder, but first the socket that some proxies leave behind. `rm` would call `lstat` on the socket, and
 * then `require` would not follow links in this process (https://github.com/nodejs/node/issues/51142).
 */
async function remove({ folder, proxy }: Places): Promise<void> {
  await unlink(proxy).catch(() => undefined);
  await rm(folder, { recursive: true });
}

async function startBehind(proxy: Proxy) {
  const folder = await mkdtemp(join(tmpdir(), "proxy-"));
  const places = { folder, proxy: join(folder, "proxy"), gateway: join(folder, "gateway") };
  onTestFinished(() => remove(places));
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    commands: { blink: { payload: z.object({}), sentBy: ["operator"] } },
  });
  const server = createServer(toNodeListener(gateway)).listen(places.gateway);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const config = join(folder, "config");
  await writeFile(config, proxy.configure(places));
  const [command = "", ...words] = proxy.start(config, places);
  const child = spawn(command, words, { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(() => stop(child));

  const body = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "0.1.10" };
  const registered = await gateway
    .as(anyone)
    .registerDevice({ body: { ...body, claimCode: "ABCD-EFGH" } });
  const { token } = registered._unsafeUnwrap().body;
  const fetch = (query: string) => get(places.proxy, `/api/v1/device/commands${query}`, token);
  await expect.poll(() => fetch("").then(({ status }) => status)).toBe(200);
  return {
    api: gateway.as(operator({ id: "op" })),
    fetch,
    untilWaiting: () =>
      expect.poll(async () => (await gateway.readLevels()).commandWaiters).toBe(1),
  };
}

for (const [name, proxy] of Object.entries(proxies)) {
  describe.skipIf(!isInstalled(proxy.probe))(`behind ${name} (skipped if it is missing)`, () => {
    test(`§11 a request that waits behind ${name} gets a command, and ends at a revocation`, async () => {
      const { api, fetch, untilWaiting } = await startBehind(proxy);
      const params = { deviceId: "gw-1" };
      const pending = fetch("?wait=45");
      await untilWaiting();
      const sent = await api.sendCommand({ params, body: { name: "blink" } });
      expect(sent.isOk()).toBe(true);
      expect((await pending).body.commands).toHaveLength(1);
      const [{ commandId }] = (await pending).body.commands as [{ commandId: string }];
      const second = fetch(`?wait=45&after=${commandId}`);
      await untilWaiting();
      expect((await api.revokeDevice({ params })).isOk()).toBe(true);
      expect((await second).status).toBe(401);
    });

    // It takes 45 s. Run it with PROXIES=1.
    test.skipIf(process.env["PROXIES"] !== "1")(
      `§11 ${name} with its default time-outs does not end a request that waits for 45 s`,
      { timeout: 60_000 },
      async () => {
        const { fetch } = await startBehind(proxy);
        const { status, body } = await fetch("?wait=45");
        expect([status, body.commands]).toEqual([200, []]);
      },
    );
  });
}
