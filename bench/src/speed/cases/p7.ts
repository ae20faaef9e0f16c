import { type Contender, type SpeedSetup, startGateway } from "../contender.js";
import type { RequestFiles } from "../fleet-requests.js";
import { measureLoads } from "../measure-loads.js";
import { readDevices } from "../seed/seed-fleet.js";
import { type ServerProcess, startServer } from "../server-process.js";
import type { SpeedCase, SpeedOptions } from "../speed-case.js";
import { shareOf } from "../verdict.js";

const goal = 0.6;
export const configPath = "/api/v1/device/config";

interface Asked {
  readonly path: string;
  readonly header: string;
  readonly answer: { readonly status: number; readonly headers: object; readonly body: string };
}

const ownHeaders = new Set(["connection", "keep-alive", "date", "transfer-encoding"]);

/** Asks as a device that already has the current version. Returns the response for the reference to send. */
async function ask({ port }: ServerProcess, token: string, path: string): Promise<Asked> {
  const url = `http://127.0.0.1:${port}${path}`;
  const authorization = `Bearer ${token}`;
  const first = await fetch(url, { headers: { authorization } });
  const etag = first.headers.get("etag");
  const header = etag === null ? "Accept: application/json" : `If-None-Match: ${etag}`;
  const again = await fetch(url, {
    headers: { authorization, ...(etag !== null && { "if-none-match": etag }) },
  });
  const headers = Object.fromEntries([...again.headers].filter(([name]) => !ownHeaders.has(name)));
  return { path, header, answer: { status: again.status, headers, body: await again.text() } };
}

/** Ends a server. Throws unless all its responses had the same status. */
async function endAfter({ server, name }: Contender, status: number): Promise<readonly string[]> {
  const { answered } = await server.usage();
  // `ask` sent two requests, and the first one has another status.
  const others = Object.entries(answered).filter(([of, n]) => Number(of) !== status && n > 2);
  if (others.length > 0)
    throw new Error(`${name} sent other statuses: ${JSON.stringify(answered)}.`);
  await server.ask("close");
  await server.end();
  return [];
}

/** Compares the most frequent requests of idle devices with a server that sends a constant. */
export const p7: SpeedCase = {
  title: "P7: unchanged configuration and no update, 64 connections",
  async run(setup, options) {
    const sections = [];
    for (const path of [configPath, "/api/v1/ota/latest"]) {
      sections.push(await measurePath(setup, path, options));
    }
    return sections;
  },
};

/** Starts a gateway whose devices ask for what they already have, and returns its response. */
export async function startUnchanged(
  setup: SpeedSetup,
  path: string,
  { mount }: Pick<SpeedOptions, "mount">,
) {
  const { devicesFile: devices } = setup.fleet;
  const unasked: RequestFiles = { devices, bodies: "", path, recordsPerRequest: 1 };
  const start = { name: "gateway", mount, files: unasked };
  const started = await startGateway(setup, start);
  const [{ token = "" } = {}] = readDevices(devices);
  const { header, answer } = await ask(started.server, token, path);
  const finish = () => endAfter(started, answer.status);
  const gateway: Contender = { ...started, files: { ...unasked, header }, finish };
  return { gateway, answer };
}

async function measurePath(setup: SpeedSetup, path: string, options: SpeedOptions) {
  const { gateway, answer } = await startUnchanged(setup, path, options);
  const server = await startServer(setup.servers.program("constant"), answer);
  const constant: Contender = {
    ...gateway,
    name: "bare node:http",
    server,
    stores: false,
    databaseCpuUs: () => 0,
    finish: () => endAfter(constant, answer.status),
  };
  const lines = await measureLoads([constant, gateway], { ...options, connections: 64 });
  await gateway.finish();
  await constant.finish();
  const notes = [
    `Each response was ${answer.status} with ${answer.body.length} bytes.`,
    shareOf(lines, "requests", "gateway", "bare node:http", goal),
  ];
  return { title: `P7: GET ${path}, 64 connections`, lines, notes };
}
