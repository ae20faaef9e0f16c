import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayStore } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { type AttackOptions, type Findings, runRounds } from "../attack.js";
import { customer } from "../issuer.js";
import { type LineProcess, startLineProcess } from "../line-process.js";
import { createStorage } from "../storage.js";
import { claimants } from "./port-race.js";
import { insist, judge } from "./race.js";
import { createRaceGateway, raceIssuer } from "./race-gateway.js";

const words = { winner: "200 claimed", loser: "409 already_claimed" };
const processCount = 4;

async function post(origin: string, path: string, body: object, token?: string) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { status?: unknown; code?: unknown };
  return { status: response.status, word: String(answer.code ?? answer.status) };
}

function claimOverHttp(origin: string, deviceId: string, token: string): Promise<string> {
  const body = { deviceId, claimCode: "ABCD-EFGH" };
  const claim = async () => {
    const { status, word } = await post(origin, "/user/devices/claim", body, token);
    return status === 503 ? "503" : `${status} ${word}`;
  };
  return insist(claim, { notNow: "503", won: words.winner, had: "200 already_owned" });
}

/** Runs races over real sockets against the gateways at these origins. */
async function race(
  options: AttackOptions,
  findings: Findings,
  store: GatewayStore,
  origins: readonly string[],
): Promise<number> {
  const issuer = raceIssuer();
  const tokens = await Promise.all(claimants.map((id) => issuer.tokenOf(customer(id))));
  return runRounds(options, { short: 2, long: 50 }, async (round) => {
    const deviceId = `gw-http-${round}`;
    const registration = {
      deviceId,
      hardwareId: "h:1",
      firmwareVersion: "0.1.10",
      claimCode: "ABCD-EFGH",
    };
    const { status } = await post(origins[0] ?? "", "/device/register", registration);
    if (status !== 201) throw new Error(`Could not register ${deviceId}: ${status}.`);
    const claims = claimants.map(async (id, n): Promise<[string, string]> => {
      const origin = origins[n % origins.length] ?? "";
      return [id, await claimOverHttp(origin, deviceId, tokens[n] ?? "")];
    });
    const outcomes = new Map(await Promise.all(claims));
    for (const what of await judge(store, deviceId, outcomes, words)) findings.add(what, round);
  });
}

async function listen(store: GatewayStore): Promise<{ server: Server; origin: string }> {
  const server = createServer(toNodeListener(await createRaceGateway(store)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs races over HTTP against two gateways, each with its own store over one storage. */
export async function raceHttp(options: AttackOptions, findings: Findings): Promise<number> {
  const storage = await createStorage(options.store);
  const opened = [await storage.open(), await storage.open()];
  const stores = opened.map((store) => options.plants?.store?.(store) ?? store);
  const servers = await Promise.all(stores.map(listen));
  const origins = servers.map(({ origin }) => origin);
  const rounds = await race(options, findings, stores[0] as GatewayStore, origins);
  for (const { server } of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  for (const store of stores) await store.close();
  await storage.remove();
  return rounds;
}

/** The same, with each gateway in its own process. */
export async function raceHttpProcesses(
  options: AttackOptions,
  findings: Findings,
): Promise<number> {
  const storage = await createStorage(options.store);
  const store = await storage.open();
  const processes: LineProcess[] = [];
  for (let n = 0; n < processCount; n++) {
    processes.push(await startLineProcess("claim-race/http-process.ts", storage.place ?? ""));
  }
  const ports = await Promise.all(processes.map((gateway) => gateway.ask("port")));
  const origins = ports.map((port) => `http://127.0.0.1:${port}`);
  const rounds = await race(options, findings, store, origins);
  for (const gateway of processes) await gateway.end();
  await store.close();
  await storage.remove();
  return rounds;
}
