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
import { beginLife, type Fate, fates, type Life, useToken } from "./fates.js";
import { type Front, openFront } from "./front.js";
import { openProcessFront } from "./process-front.js";

/** How long a token may live on after its end (contract §2), and how long it is tried in all. */
const graceMs = 1_000;
const watchMs = 1_300;

/** What was tried, and how late a dead token was let in at most. */
interface Watch {
  requests: number;
  latestMs: number;
}

interface Dying extends Life {
  readonly fate: Fate;
  readonly endedAt: number;
}

/** Has each fate come to pass on a device of its own, while all gateways are sent their tokens. */
async function watchDeaths(
  front: Front,
  round: number,
  dice: Dice,
  findings: Findings,
  watch: Watch,
): Promise<void> {
  const lives = await Promise.all(
    fates.map(async (fate, n) => ({ fate, ...(await beginLife(front, `gw-${round}-${n}`)) })),
  );
  const dying = await Promise.all(
    lives.map(async (life): Promise<Dying> => {
      await life.fate.end(front, life, dice.int(front.size));
      return { ...life, endedAt: front.now() };
    }),
  );
  const endedAt = Math.max(...dying.map((one) => one.endedAt));
  while (front.now() < endedAt + watchMs) {
    await Promise.all(
      dying.flatMap((one) =>
        Array.from({ length: front.size }, async (_, gateway) => {
          const afterMs = front.now() - one.endedAt;
          const { status, body } = await useToken(front, one.token, gateway);
          watch.requests++;
          if (status === 401 || status === 503) return;
          if (status !== 200) return findings.add(`${one.fate.name}: ${status} ${body}`, round);
          watch.latestMs = Math.max(watch.latestMs, afterMs);
          if (afterMs <= graceMs) return;
          const late = `let in at gateway ${gateway}, ${afterMs.toFixed(0)} ms after`;
          findings.add(`${one.fate.name}: ${late}`, round);
        }),
      ),
    );
    await front.pause(dice.pick([7, 20, 45, 90]));
  }
}

/** Takes a key away in the two steps that it needs; its tokens are known to every gateway by then. */
async function removeKey(front: Front, findings: Findings, watch: Watch): Promise<void> {
  const { token } = await beginLife(front, "gw-key");
  await front.restart(["new", "old"]);
  for (let gateway = 0; gateway < front.size; gateway++) {
    need(await useToken(front, token, gateway), 200);
  }
  const next = await beginLife(front, "gw-next-key");
  await front.restart(["new"]);
  for (let gateway = 0; gateway < front.size; gateway++) {
    watch.requests++;
    const { status } = await useToken(front, token, gateway);
    if (status !== 401) findings.add(`a removed key's token gets ${status} at gateway ${gateway}`);
    need(await useToken(front, next.token, gateway), 200);
  }
}

async function attack(
  options: AttackOptions,
  findings: Findings,
  where: string,
  open: (storage: Awaited<ReturnType<typeof createStorage>>) => Promise<Front>,
): Promise<ReportLine[]> {
  const dice = createDice(options.seed);
  const storage = await createStorage(options.store);
  const front = await open(storage);
  const watch: Watch = { requests: 0, latestMs: 0 };
  const rounds = await runRounds(options, { short: 2, long: 200 }, (round) =>
    watchDeaths(front, round, dice, findings, watch),
  );
  const keys: Watch = { requests: 0, latestMs: 0 };
  await removeKey(front, findings, keys);
  await front.close();
  await storage.remove();
  return [
    {
      what: `${fates.length} ends of a device's tokens, ${where}`,
      rounds,
      result: `${watch.requests.toLocaleString("en")} requests, let in until ${watch.latestMs.toFixed(0)} ms`,
      bar: `until ${graceMs} ms`,
    },
    {
      what: `a removed key's tokens, ${where}`,
      rounds: 1,
      result: `${keys.requests} requests`,
      bar: "0 let in",
    },
  ];
}

/** S6: whatever ends a token, no gateway lets it in a second later. */
export const revocation: Attack = async (options) => {
  const findings = createFindings("revocation", options);
  const { store, long = false } = options;
  const inProcess = (storage: Awaited<ReturnType<typeof createStorage>>) =>
    openFront(storage, options, 4);
  const lines = await attack(options, findings, "four gateways", inProcess);
  if (long && store !== "memory") {
    const size = store === "sqlite" ? 1 : 4;
    const where = size === 1 ? "a process in real time" : `${size} processes in real time`;
    lines.push(
      ...(await attack(options, findings, where, (storage) => openProcessFront(storage, size))),
    );
  }
  return { name: `S6 ${store}`, lines, violations: findings.violations };
};
