import type { GatewayStore } from "@device-gateway/core";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { type AttackOptions, type Findings, runRounds } from "../attack.js";
import { type LineProcess, startLineProcess } from "../line-process.js";
import { createStorage, type Storage } from "../storage.js";
import { claimAtPort, claimsInTrail, judge } from "./race.js";

export const claimants: readonly string[] = Array.from({ length: 200 }, (_, n) => `racer-${n}`);
const words = { winner: "claimed", loser: "taken" };
const now = Date.UTC(2025, 5, 1);
const processCount = 4;

type Race = (deviceId: string) => Promise<Map<string, string>>;

/** All claimants claim at once, distributed over the store handles. */
const raceHandles =
  (stores: readonly GatewayStore[]): Race =>
  async (deviceId) => {
    const claims = claimants.map(async (owner, n): Promise<[string, string]> => {
      const store = stores[n % stores.length] as GatewayStore;
      return [owner, await claimAtPort(store, deviceId, owner, now)];
    });
    return new Map(await Promise.all(claims));
  };

/** All claimants claim at once, distributed over processes. */
const raceProcesses =
  (processes: readonly LineProcess[]): Race =>
  async (deviceId) => {
    const answers = processes.map(async (racer, n) => {
      const owners = claimants.filter((_, place) => place % processes.length === n);
      const answer = await racer.ask(JSON.stringify({ deviceId, owners, now }));
      return JSON.parse(answer) as [string, string][];
    });
    return new Map((await Promise.all(answers)).flat());
  };

async function runRace(
  options: AttackOptions,
  findings: Findings,
  stores: readonly GatewayStore[],
  race: Race,
): Promise<number> {
  const [store] = stores as [GatewayStore];
  const raced = new Map<string, number>();
  const rounds = await runRounds(options, { short: 5, long: 1_000 }, async (round) => {
    const deviceId = `gw-${round}`;
    const device = { ...sampleDevice(deviceId), claimCodeHash: null };
    await store.devices.register({ device, event: sampleEvent(deviceId) });
    raced.set(deviceId, round);
    const outcomes = await race(deviceId);
    for (const what of await judge(store, deviceId, outcomes, words)) findings.add(what, round);
  });
  const claims = await claimsInTrail(store);
  for (const [deviceId, round] of raced) {
    const { length } = claims.get(deviceId) ?? [];
    if (length !== 1) findings.add(`the audit trail has ${length} claims of ${deviceId}`, round);
  }
  return rounds;
}

const openStores = async (storage: Storage, { plants }: AttackOptions) => {
  const opened = [await storage.open(), await storage.open()];
  const stores = opened.map((store) => plants?.store?.(store) ?? store);
  // An unused handle connects first and would be too late for the race.
  await Promise.all(stores.flatMap((store) => [store.ping(), store.ping()]));
  return stores;
};

/** Runs races at the port over two store handles. Returns the number of races. */
export async function racePort(options: AttackOptions, findings: Findings): Promise<number> {
  const storage = await createStorage(options.store);
  const stores = await openStores(storage, options);
  const rounds = await runRace(options, findings, stores, raceHandles(stores));
  for (const store of stores) await store.close();
  await storage.remove();
  return rounds;
}

/** The same between real processes over one storage. */
export async function raceAcrossProcesses(
  options: AttackOptions,
  findings: Findings,
): Promise<number> {
  const storage = await createStorage(options.store);
  const stores = [await storage.open()];
  const processes = await Promise.all(
    Array.from({ length: processCount }, () =>
      startLineProcess("claim-race/port-process.ts", storage.place ?? ""),
    ),
  );
  const rounds = await runRace(options, findings, stores, raceProcesses(processes));
  for (const racer of processes) await racer.end();
  for (const store of stores) await store.close();
  await storage.remove();
  return rounds;
}
