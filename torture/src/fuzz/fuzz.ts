import { type RouteName, routes } from "@device-gateway/core/contract";
import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { faultsOf, findRoute, isOurs } from "./check.js";
import { type FuzzWorld, openFuzzWorld } from "./fuzz-world.js";
import type { FuzzReply, FuzzRequest } from "./message.js";
import { mutate } from "./mutate.js";
import { type Case, cases } from "./provocations.js";
import { type RawShape, rawShapes } from "./raw-shapes.js";
import { sendRaw } from "./send-raw.js";
import { type FuzzServer, serve, ways } from "./serve.js";

const sizes = { short: 600, long: 200_000 };
/** Requests in one round. Each round has its own scene, so that it can be reproduced alone. */
const roundLength = 200;
const atOnce = 16;
const wantedOfEach = 20;

/** How often each route returned each status. */
type Coverage = Map<string, number>;

const keyOf = (name: string, status: number) => `${name} ${status}`;

const shown = ({ method, target, headers, body }: FuzzRequest): string =>
  `${method} ${target.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${JSON.stringify(body?.toString("latin1").slice(0, 200))}`;

interface Fuzzing {
  readonly options: AttackOptions;
  readonly findings: Findings;
  readonly servers: readonly FuzzServer[];
  readonly world: FuzzWorld;
  readonly coverage: Coverage;
}

/** Every second request is well-formed, so that each status occurs. The others are mutated. */
async function runRound(
  { options, findings, servers, world, coverage }: Fuzzing,
  round: number,
): Promise<void> {
  const dice = createDice(seedOfRound(options.seed, round));
  const scene = await world.build();
  const check = (request: FuzzRequest, reply: FuzzReply) => {
    const { name = "no route" } = findRoute(request) ?? {};
    const key = keyOf(name, reply.status);
    coverage.set(key, (coverage.get(key) ?? 0) + 1);
    for (const fault of faultsOf(request, reply)) {
      findings.add(`${name} ${fault}: ${reply.body.slice(0, 200)} to ${shown(request)}`, round);
    }
  };
  for (let sent = 0; sent < roundLength; sent += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, roundLength - sent) }, async (_, n) => {
      const isProper = (sent + n) % 2 === 0;
      const place = round * (roundLength / 2) + Math.floor((sent + n) / 2);
      const one = (isProper ? cases[place % cases.length] : dice.pick(cases)) as Case;
      // Seeded before the first await, so that the order of responses does not change it.
      const ownDice = createDice(dice.int(2 ** 32));
      const plain = await one.request(scene);
      const request = isProper ? plain : mutate(plain, scene, ownDice);
      const server = servers[(sent + n + round) % servers.length] as FuzzServer;
      try {
        const reply = await server.send(request);
        // Express answers paths that are not the gateway's.
        if (server.isAlone || isOurs(request)) check(request, reply);
      } catch (error) {
        findings.add(`${one.name}: ${String(error)} to ${shown(request)}`, round);
      }
    });
    await Promise.all(batch);
  }
}

/** Returns what is wrong with the responses to a shape, or undefined. */
async function tryShape(port: number, shape: RawShape): Promise<string | undefined> {
  const statuses = await sendRaw(port, shape);
  if (statuses === null) return "the connection hangs";
  const isAllowed = shape.answers.some((answers) => answers.join() === statuses.join());
  return isAllowed ? undefined : `answers ${statuses.join(", ") || "nothing"}`;
}

/** A busy machine may answer late, or with 503. So a shape with a wrong response is sent again, by itself. */
const repeats = 8;

async function runShapes(
  { options, findings, servers, world }: Fuzzing,
  rounds: number,
): Promise<number> {
  let sent = 0;
  for (let round = 0; round < rounds; round++) {
    const { device } = await world.build();
    for (const { port, mount } of servers) {
      const shapes = rawShapes({ mount, token: device.token });
      const wrong = await Promise.all(shapes.map((shape) => tryShape(port, shape)));
      sent += shapes.length;
      for (const [n, shape] of shapes.entries()) {
        let what = wrong[n];
        for (let left = repeats; left > 0 && what !== undefined; left--)
          what = await tryShape(port, shape);
        // Other tests share the Postgres server. Memory and SQLite show what the gateway itself answers.
        const isBusy = options.store === "postgres" && what?.includes("503") === true;
        if (what !== undefined && !isBusy) findings.add(`${shape.what}: ${what}`);
      }
    }
  }
  return sent;
}

function coverageLines(coverage: Coverage, wanted: number, findings: Findings): ReportLine[] {
  const least = cases.map(({ name, status }) => ({
    key: keyOf(name, status),
    count: coverage.get(keyOf(name, status)) ?? 0,
  }));
  for (const { key, count } of least) {
    if (count < wanted) findings.add(`${key} occurred ${count} times, expected at least ${wanted}`);
  }
  const names = Object.keys(routes) as RouteName[];
  const perRoute = names.map((name): ReportLine => {
    const ofRoute = cases.filter((one) => one.name === name);
    const counts = ofRoute.map(
      ({ status }) => `${status}×${(coverage.get(keyOf(name, status)) ?? 0).toLocaleString("en")}`,
    );
    const all = [...coverage].filter(([key]) => key.startsWith(`${name} `));
    const rounds = all.reduce((sum, [, count]) => sum + count, 0);
    return { what: name, rounds, result: counts.join(" "), bar: `each ≥ ${wanted}` };
  });
  return perRoute;
}

/**
 * Sends well-formed requests, mutated ones and raw bytes, to a Node listener and through Express. Only
 * planted faults may cause a 5xx, each response must be one that the route declares, and each declared
 * status must occur.
 */
export const fuzz: Attack = async (options) => {
  const findings = createFindings("fuzz", options);
  const storage = await createStorage(options.store);
  const world = await openFuzzWorld(storage, options.seed, options.plants);
  const servers = await Promise.all(ways.map((way) => serve(way, world.gateway, world.handle)));
  const coverage: Coverage = new Map();
  const fuzzing: Fuzzing = { options, findings, servers, world, coverage };
  const wanted = options.rounds ?? sizes[options.long ? "long" : "short"];
  const rounds = Math.ceil(wanted / roundLength);
  if (options.round === undefined) {
    for (let round = 0; round < rounds; round++) {
      await runRound(fuzzing, round);
      options.progress?.((round + 1) * roundLength, wanted);
    }
  } else {
    await runRound(fuzzing, options.round);
  }
  // Raw bytes never reach a store, so the short form sends them on memory only.
  const shapeRounds = options.long ? 50 : options.store === "memory" ? 1 : 0;
  const isWhole = options.round === undefined && !findings.hasEnough();
  const shapes = isWhole ? await runShapes(fuzzing, shapeRounds) : 0;
  for (const server of servers) await server.close();
  await world.close();
  await storage.remove();

  const proper = Math.floor((rounds * roundLength) / 2 / cases.length);
  const perStatus = options.round === undefined ? Math.min(wantedOfEach, proper) : 0;
  const lines = coverageLines(coverage, perStatus, findings);
  const sent = [...coverage.values()].reduce((sum, count) => sum + count, 0);
  const { violations } = findings;
  return {
    name: `fuzz ${options.store}`,
    lines: [
      {
        what: `requests to ${Object.keys(routes).length} routes, ${cases.length} statuses`,
        rounds: sent,
        result: `${violations.length} violations`,
        bar: "0 in 200,000",
      },
      { what: "shapes on raw sockets", rounds: shapes, result: "answered as allowed", bar: "" },
      ...lines,
    ],
    violations,
  };
};
