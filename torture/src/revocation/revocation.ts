import {
  type Attack,
  type AttackOptions,
  createFindings,
  type Findings,
  runRounds,
} from "../attack.js";
import { createDice, type Dice } from "../dice.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { need } from "../world.js";
import {
  type DeviceInUse,
  type Ending,
  endings,
  startDevice,
  useToken,
  waitForCommands,
} from "./endings.js";
import { type GatewayGroup, openGroup } from "./gateway-group.js";
import { openProcessGroup } from "./process-group.js";

/** How long an invalidated token may still be accepted (§2), and for how long it is tried. */
const graceMs = 1_000;
const watchMs = 1_300;

/** Number of requests, and the latest time at which an invalidated token was accepted. */
interface Watch {
  requests: number;
  latestMs: number;
  /** Number of requests that waited for commands, and the latest time at which one of them ended. */
  waits: number;
  latestWaitMs: number;
}

const newWatch = (): Watch => ({ requests: 0, latestMs: 0, waits: 0, latestWaitMs: 0 });

interface EndedDevice extends DeviceInUse {
  readonly ending: Ending;
  readonly endedAt: number;
}

/** Invalidates the tokens of one device per kind of event, while all gateways get requests with them. */
async function watchEndings(
  group: GatewayGroup,
  round: number,
  dice: Dice,
  findings: Findings,
  watch: Watch,
): Promise<void> {
  const devices = await Promise.all(
    endings.map(async (ending, n) => ({
      ending,
      ...(await startDevice(group, `gw-${round}-${n}`)),
    })),
  );
  // Requests that wait poll for changes in real time, which a fake clock cannot measure.
  const waiting = (group.isRealTime ? devices : []).flatMap((device) =>
    Array.from({ length: group.size }, async (_, gateway) => {
      const { status } = await waitForCommands(group, device.token, gateway);
      return { device, gateway, status, at: group.now() };
    }),
  );
  const ended = await Promise.all(
    devices.map(async (device): Promise<EndedDevice> => {
      await device.ending.endTokens(group, device, dice.int(group.size));
      return { ...device, endedAt: group.now() };
    }),
  );
  const endedAt = Math.max(...ended.map((one) => one.endedAt));
  while (group.now() < endedAt + watchMs) {
    await Promise.all(
      ended.flatMap((one) =>
        Array.from({ length: group.size }, async (_, gateway) => {
          const afterMs = group.now() - one.endedAt;
          const { status, body } = await useToken(group, one.token, gateway);
          watch.requests++;
          if (status === 401 || status === 503) return;
          if (status !== 200) return findings.add(`${one.ending.name}: ${status} ${body}`, round);
          watch.latestMs = Math.max(watch.latestMs, afterMs);
          if (afterMs <= graceMs) return;
          const late = `accepted at gateway ${gateway}, ${afterMs.toFixed(0)} ms later`;
          findings.add(`${one.ending.name}: ${late}`, round);
        }),
      ),
    );
    await group.pause(dice.pick([7, 20, 45, 90]));
  }
  for (const { device, gateway, status, at } of await Promise.all(waiting)) {
    const end = ended.find(({ deviceId }) => deviceId === device.deviceId)?.endedAt ?? 0;
    const afterMs = at - end;
    watch.waits++;
    watch.latestWaitMs = Math.max(watch.latestWaitMs, afterMs);
    if (status === 401 && afterMs <= graceMs) continue;
    const late = `gets ${status} at gateway ${gateway}, ${afterMs.toFixed(0)} ms later`;
    findings.add(`${device.ending.name}: a request that waits for commands ${late}`, round);
  }
}

/** Replaces a signing key in two steps. Every gateway has cached the old key's tokens. */
async function removeKey(group: GatewayGroup, findings: Findings, watch: Watch): Promise<void> {
  const { token } = await startDevice(group, "gw-key");
  await group.restart(["new", "old"]);
  for (let gateway = 0; gateway < group.size; gateway++) {
    need(await useToken(group, token, gateway), 200);
  }
  const next = await startDevice(group, "gw-next-key");
  await group.restart(["new"]);
  for (let gateway = 0; gateway < group.size; gateway++) {
    watch.requests++;
    const { status } = await useToken(group, token, gateway);
    if (status !== 401) findings.add(`a removed key's token gets ${status} at gateway ${gateway}`);
    need(await useToken(group, next.token, gateway), 200);
  }
}

async function attack(
  options: AttackOptions,
  findings: Findings,
  where: string,
  open: (storage: Awaited<ReturnType<typeof createStorage>>) => Promise<GatewayGroup>,
): Promise<ReportLine[]> {
  const dice = createDice(options.seed);
  const storage = await createStorage(options.store);
  const group = await open(storage);
  const watch = newWatch();
  const rounds = await runRounds(options, { short: 2, long: 200 }, (round) =>
    watchEndings(group, round, dice, findings, watch),
  );
  const keys = newWatch();
  await removeKey(group, findings, keys);
  await group.close();
  await storage.remove();
  const waits: ReportLine = {
    what: `requests that wait for commands, ${where}`,
    rounds,
    result: `${watch.waits.toLocaleString("en")} requests, ended until ${watch.latestWaitMs.toFixed(0)} ms`,
    bar: `until ${graceMs} ms`,
  };
  return [
    {
      what: `${endings.length} ways to invalidate a token, ${where}`,
      rounds,
      result: `${watch.requests.toLocaleString("en")} requests, accepted until ${watch.latestMs.toFixed(0)} ms`,
      bar: `until ${graceMs} ms`,
    },
    ...(group.isRealTime ? [waits] : []),
    {
      what: `a removed key's tokens, ${where}`,
      rounds: 1,
      result: `${keys.requests} requests`,
      bar: "0 accepted",
    },
  ];
}

/** Invalidates tokens in every way. No gateway may accept them more than a second later. */
export const revocation: Attack = async (options) => {
  const findings = createFindings("revocation", options);
  const { store, long = false } = options;
  const inProcess = (storage: Awaited<ReturnType<typeof createStorage>>) =>
    openGroup(storage, options, 4);
  const lines = await attack(options, findings, "four gateways", inProcess);
  if (long && store !== "memory") {
    const size = store === "sqlite" ? 1 : 4;
    const where = size === 1 ? "a process in real time" : `${size} processes in real time`;
    lines.push(
      ...(await attack(options, findings, where, (storage) => openProcessGroup(storage, size))),
    );
  }
  return { name: `revocation ${store}`, lines, violations: findings.violations };
};
