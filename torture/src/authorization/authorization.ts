import { type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { createFakeClock } from "@device-gateway/testing";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { comparable } from "../comparable.js";
import { createDice, type Dice, seedOfRound } from "../dice.js";
import { createStorage } from "../storage.js";
import type { WorldReply, WorldRequest } from "../world.js";
import { type ActorName, actorNames, credentialsOf, standings } from "./actors.js";
import { expectedAnswer, isAsExpected } from "./expect.js";
import { leaksOf } from "./leaks.js";
import { type Sample, samples } from "./samples.js";
import {
  deviceId,
  markers,
  openSceneWorld,
  releaseMarkers,
  type Scene,
  setScene,
  unknownId,
} from "./scene.js";

interface Case {
  readonly name: RouteName;
  readonly sample: Sample<RouteName>;
  readonly actor: ActorName;
}

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Another way to write the same id in a path: percent-encoded here and there. */
const encodeSome = (id: string, dice: Dice) =>
  [...id]
    .map((c) => (dice.chance(0.2) ? `%${c.charCodeAt(0).toString(16).toUpperCase()}` : c))
    .join("");

function toRequest({ name, sample, actor }: Case, id: string, scene: Scene, dice: Dice | null) {
  const { path, method, scope } = routes[name] as Route;
  // The table's types have checked it against the very route.
  const { params, query, headers, body } = sample.request(id) as Sent;
  const place = (name: string) => {
    const value = params?.[name] ?? "";
    return dice ? encodeSome(value, dice) : value;
  };
  const request: WorldRequest = {
    method: dice?.chance(0.3) && method === "GET" ? "HEAD" : method,
    path: path.replaceAll(/:(\w+)/g, (_, parameter: string) => place(parameter)),
    scope,
    ...(query && { query }),
    headers: { ...headers, ...credentialsOf(actor, scene), "x-request-id": "s1" },
    body,
  };
  return request;
}

/** Sends a request, and tells what became of the victim. */
type Send = (request: WorldRequest) => Promise<{ reply: WorldReply; untouched: boolean }>;

/** Makes a world of the scene's, for `work` alone. */
async function withWorld<Outcome>(
  options: AttackOptions,
  scene: Scene,
  work: (send: Send) => Promise<Outcome>,
): Promise<Outcome> {
  const storage = await scene.storage.fork();
  const clock = createFakeClock(scene.now);
  const { seed } = scene;
  const world = await openSceneWorld({ storage, seed, clock, plants: options.plants });
  const victim = async () => JSON.stringify(await world.stores[0]?.devices.find(deviceId));
  try {
    return await work(async (request) => {
      const before = await victim();
      const reply = await world.send(request);
      return { reply, untouched: (await victim()) === before };
    });
  } finally {
    await world.close();
    await storage.remove();
  }
}

async function attackRoute(
  options: AttackOptions,
  scene: Scene,
  one: Case,
  dice: Dice | null,
  seen: Set<string>,
  sendInCommon: Send,
): Promise<string[]> {
  const { name, sample, actor } = one;
  const route = routes[name] as Route;
  const request = toRequest(one, deviceId, scene, dice);
  const expected = expectedAnswer(route, standings[actor], sample.answer?.(actor));
  // What is refused a look leaves all as it is. The others get a world each.
  const isHarmless = route.method === "GET" && expected.code !== null;
  const send: Send = isHarmless
    ? sendInCommon
    : (sent) => withWorld(options, scene, (sendOnce) => sendOnce(sent));
  const { reply, untouched } = await send(request);
  for (const marker of everyMarker) if (reply.body.includes(marker)) seen.add(marker);
  const found: string[] = [];
  if (!isAsExpected(expected, reply, route)) {
    const wanted = expected.code ?? "an answer of the route";
    found.push(`wanted ${wanted}, got ${reply.status} ${reply.body.slice(0, 200)}`);
  }
  for (const leak of leaksOf(reply, scene, actor, route)) found.push(`the answer holds ${leak}`);
  if (expected.code === null) return found;
  if (!untouched) found.push("the device was changed by a request that was refused");
  // Who is told that it is somebody else's may see it.
  if (sample.tellsOfIds === undefined && expected.code !== "not_owner") {
    const unknown = toRequest(one, unknownId, scene, null);
    const other = await send({ ...unknown, method: request.method });
    const [there, missing] = [comparable(reply), comparable(other.reply)];
    if (there !== missing)
      found.push(`is told from a device that isn't there: ${there} ${missing}`);
  }
  return found;
}

/** Shown to the owner, to an operator, or to the device itself. What a former owner set is gone. */
const everyMarker: readonly string[] = [
  ...Object.values(markers.present),
  markers.former.id,
  markers.former.telemetry,
  markers.former.reading,
  ...Object.values(releaseMarkers),
];

const cases: readonly Case[] = (Object.keys(routes) as RouteName[]).flatMap((name) =>
  (samples[name] as readonly Sample<RouteName>[]).flatMap((sample) =>
    actorNames.map((actor) => ({ name, sample, actor })),
  ),
);

/**
 * S1: every route × everybody. What each gets is derived from the route table and from who may see
 * the device; a device that one may not see is 404, byte for byte like one that isn't there.
 */
export const authorization: Attack = async (options) => {
  const findings = createFindings("authorization", options);
  const storage = await createStorage(options.store);
  const scene = await setScene(storage, options.seed);
  const seen = new Set<string>();
  let sent = 0;
  // A round is the whole table; from the second on, ids are written in other ways.
  const rounds = await runRounds(options, { short: 1, long: 20 }, async (round) => {
    const dice = round === 0 ? null : createDice(seedOfRound(options.seed, round));
    await withWorld(options, scene, async (sendInCommon) => {
      for (const one of cases) {
        sent++;
        for (const what of await attackRoute(options, scene, one, dice, seen, sendInCommon)) {
          findings.add(`${one.name} by ${one.actor}: ${what}`, round);
        }
      }
    });
  });
  await storage.remove();
  // The control: what nobody is ever shown could not be missed where it must not be.
  for (const marker of everyMarker.filter((one) => !seen.has(one))) {
    findings.add(`nobody at all was shown ${marker}: it was not planted, or is not looked for`);
  }
  const { violations } = findings;
  const what = `${Object.keys(routes).length} routes × ${actorNames.length} actors, ${rounds}×`;
  const result = `${violations.length} leaks`;
  return {
    name: `S1 ${options.store}`,
    lines: [{ what, rounds: sent, result, bar: "0 leaks" }],
    violations,
  };
};
