import { type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { createFakeClock } from "@device-gateway/testing";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { comparable } from "../comparable.js";
import { createDice, type Dice, seedOfRound } from "../dice.js";
import { type ActorName, actorNames } from "../samples/actor-names.js";
import type { Sample } from "../samples/sample.js";
import { samplesOf } from "../samples/samples.js";
import { createStorage } from "../storage.js";
import type { WorldReply, WorldRequest } from "../world.js";
import { credentialsOf, standings } from "./actors.js";
import { expectedAnswer, isAsExpected } from "./expect.js";
import { leaksOf } from "./leaks.js";
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
  readonly sample: Sample;
  readonly actor: ActorName;
}

/** Percent-encodes some characters of an id, which must not change its meaning. */
const encodeSome = (id: string, dice: Dice) =>
  [...id]
    .map((c) => (dice.chance(0.2) ? `%${c.charCodeAt(0).toString(16).toUpperCase()}` : c))
    .join("");

function toRequest({ name, sample, actor }: Case, id: string, scene: Scene, dice: Dice | null) {
  const { path, method, scope } = routes[name] as Route;
  const { params, query, headers, body } = sample.request(id);
  const place = (name: string) => {
    const value = params?.[name] ?? "";
    return dice ? encodeSome(value, dice) : value;
  };
  const request: WorldRequest = {
    method: dice?.chance(0.3) && method === "GET" ? "HEAD" : method,
    path: path.replaceAll(/:(\w+)/g, (_, parameter: string) => place(parameter)),
    scope,
    ...(query && { query }),
    headers: { ...headers, ...credentialsOf(actor, scene), "x-request-id": "authorization" },
    body,
  };
  return request;
}

/** Sends a request and says whether the victim's record is unchanged. */
type Send = (request: WorldRequest) => Promise<{ reply: WorldReply; untouched: boolean }>;

/** A world over a copy of the scene. */
interface Copy {
  readonly send: Send;
  close(): Promise<void>;
}

async function openCopy(options: AttackOptions, scene: Scene): Promise<Copy> {
  const storage = await scene.storage.fork();
  const clock = createFakeClock(scene.now);
  const { seed } = scene;
  const world = await openSceneWorld({ storage, seed, clock, plants: options.plants });
  const victim = async () => JSON.stringify(await world.stores[0]?.devices.find(deviceId));
  return {
    async send(request) {
      const before = await victim();
      const reply = await world.send(request);
      return { reply, untouched: (await victim()) === before };
    },
    async close() {
      await world.close();
      await storage.remove();
    },
  };
}

/** Opens a copy for several requests, which can be replaced. */
async function openShared(options: AttackOptions, scene: Scene) {
  let copy = await openCopy(options, scene);
  const close = () => copy.close();
  const send: Send = (request) => copy.send(request);
  const replace = async () => {
    await close();
    copy = await openCopy(options, scene);
  };
  return { send, replace, close };
}

/** Sends each request to a copy of its own. */
const sendApart =
  (options: AttackOptions, scene: Scene): Send =>
  async (request) => {
    const copy = await openCopy(options, scene);
    return copy.send(request).finally(copy.close);
  };

const expectedOf = ({ name, sample, actor }: Case) =>
  expectedAnswer(routes[name] as Route, standings[actor], sample.answer?.(actor));

/** GET routes that change what later requests receive, and the live stream, which does not end. */
const apart = new Set<RouteName>([
  "fetchCommands",
  "readLatestFirmware",
  "downloadFirmware",
  "followTelemetry",
]);

/** Returns which copy a case shares with others. Undefined if it needs one of its own. */
function copyOf(one: Case): "refused" | "read" | undefined {
  if (expectedOf(one).code !== null) return "refused";
  return routes[one.name].method === "GET" && !apart.has(one.name) ? "read" : undefined;
}

/** Sends the case's request, and the same about an unknown device. Returns what is wrong with the responses. */
async function attackRoute(
  send: Send,
  scene: Scene,
  one: Case,
  request: WorldRequest,
  seen: Set<string>,
): Promise<string[]> {
  const { name, sample, actor } = one;
  const route = routes[name] as Route;
  const expected = expectedOf(one);
  const { reply, untouched } = await send(request);
  for (const marker of everyMarker) if (reply.body.includes(marker)) seen.add(marker);
  const found: string[] = [];
  if (!isAsExpected(expected, reply, route)) {
    const wanted = expected.code ?? "a declared response";
    found.push(`expected ${wanted}, got ${reply.status} ${reply.body.slice(0, 200)}`);
  }
  for (const leak of leaksOf(reply, scene, actor, route))
    found.push(`the response contains ${leak}`);
  if (expected.code === null) return found;
  if (!untouched) found.push("a refused request changed the device");
  // A caller who gets `not_owner` is allowed to see the device.
  if (sample.revealsDevice === undefined && expected.code !== "not_owner") {
    const unknown = toRequest(one, unknownId, scene, null);
    const other = await send({ ...unknown, method: request.method });
    const [there, missing] = [comparable(reply), comparable(other.reply)];
    if (there !== missing)
      found.push(`the response differs from that for an unknown device: ${there} ${missing}`);
  }
  return found;
}

/** Markers that some actor must see. A former owner's name and configuration are deleted. */
const everyMarker: readonly string[] = [
  ...Object.values(markers.present),
  markers.former.id,
  markers.former.telemetry,
  markers.former.reading,
  markers.former.metadata,
  markers.former.command,
  ...Object.values(releaseMarkers),
];

const cases: readonly Case[] = (Object.keys(routes) as RouteName[]).flatMap((name) =>
  samplesOf(name).flatMap((sample) => actorNames.map((actor) => ({ name, sample, actor }))),
);

/**
 * Sends every route's samples as every actor. The expected answer is derived from the route table and from
 * who may see the device. A device that the caller may not see gets the same 404 as an unknown device,
 * byte for byte.
 */
export const authorization: Attack = async (options) => {
  const findings = createFindings("authorization", options);
  const wanted = cases.filter(
    ({ name, actor }) => options.only?.test(`${name} by ${actor}`) ?? true,
  );
  if (wanted.length === 0) throw new RangeError("No case matches --only.");
  const storage = await createStorage(options.store);
  const scene = await setScene(storage, options.seed);
  const seen = new Set<string>();
  let sent = 0;
  // A round is the whole table. From the second round on, ids are percent-encoded at random.
  const rounds = await runRounds(options, { short: 1, long: 20 }, async (round) => {
    const dice = round === 0 ? null : createDice(seedOfRound(options.seed, round));
    const shared = {
      refused: await openShared(options, scene),
      read: await openShared(options, scene),
    };
    for (const one of wanted) {
      sent++;
      const request = toRequest(one, deviceId, scene, dice);
      const attack = (send: Send) => attackRoute(send, scene, one, request, seen);
      // Refused requests and reads change only budgets, so all refused requests share one copy, and all reads another. If earlier ones may have
      // caused an unexpected answer, a copy of its own decides.
      const copy = copyOf(one);
      if (copy !== undefined) {
        if ((await attack(shared[copy].send)).length === 0) continue;
        await shared[copy].replace();
      }
      for (const what of await attack(sendApart(options, scene)))
        findings.add(`${one.name} by ${one.actor}: ${what}`, round);
    }
    await shared.refused.close();
    await shared.read.close();
  });
  await storage.remove();
  // The control: a marker that no actor ever sees cannot prove that it does not leak.
  const unseen = options.only ? [] : everyMarker.filter((one) => !seen.has(one));
  for (const marker of unseen) {
    findings.add(`no actor saw ${marker}: it was not planted, or the attack does not look for it`);
  }
  const { violations } = findings;
  const what = `${Object.keys(routes).length} routes × ${actorNames.length} actors, ${rounds}×`;
  const result = `${violations.length} leaks`;
  return {
    name: `authorization ${options.store}`,
    lines: [{ what, rounds: sent, result, bar: "0 leaks" }],
    violations,
  };
};
