import {
  anyone,
  customer,
  device,
  type Gateway,
  type GatewayApi,
  operator,
  type Principal,
} from "@device-gateway/core";
import { type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { createFakeClock } from "@device-gateway/testing";
import { expect, it } from "vitest";
import type { ActorName } from "../samples/actor-names.js";
import type { RequestParts } from "../samples/sample.js";
import { samplesOf } from "../samples/samples.js";
import { createStorage } from "../storage.js";
import { readPieces, type World } from "../world.js";
import { credentialsOf } from "./actors.js";
import { deviceId, markers, openSceneWorld, type Scene, setScene, unknownId } from "./scene.js";

/** The principal of each actor that does not depend on a browser. */
const principals = {
  owner: customer({ id: markers.present.id, emailVerified: true }),
  stranger: customer({ id: "stranger-1", emailVerified: true }),
  "unverified customer": customer({ id: "unverified-1", emailVerified: false }),
  operator: operator({ id: "operator-1" }),
  "the device": device(deviceId),
  "another device": device("other-device-1"),
  nobody: anyone,
} as const satisfies Partial<Record<ActorName, Principal>>;
const actors = Object.keys(principals) as (keyof typeof principals)[];

interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly body?: unknown;
}
/** Any call. Some answers have a body, some a stream. */
type AnyCall = (
  sent: RequestParts,
) => ReturnType<GatewayApi["readDevice"] | GatewayApi["exportTelemetry"]>;

const origin = { requestId: "authorization", clientAddress: "192.0.2.1" };
const randomFields = new Set([
  ...["token", "deviceSecret", "requestId", "commandId", "ruleId"],
  ...["secret", "endpointId", "messageId"],
]);
/** Objects with a random id. */
const randomObjects = new Set(["rule", "webhook"]);
/** Replaces the random parts of a response, and removes the fields that only a problem document has. */
const plain = (body: unknown) =>
  JSON.stringify(body, (name, value: unknown) => {
    if (randomFields.has(name)) return "(random)";
    return randomObjects.has(name) ? { ...(value as object), id: "(random)" } : value;
  });

async function overHttp(
  world: World,
  scene: Scene,
  name: RouteName,
  sent: RequestParts,
  actor: ActorName,
) {
  const { path, method, scope } = routes[name] as Route;
  const reply = await world.send({
    method,
    path: path.replaceAll(/:(\w+)/g, (_, parameter: string) => sent.params?.[parameter] ?? ""),
    scope,
    ...(sent.query && { query: sent.query }),
    headers: {
      ...sent.headers,
      ...credentialsOf(actor, scene),
      "x-request-id": origin.requestId,
    },
    body: sent.body,
  });
  const isJson = reply.headers["content-type"]?.includes("json") && reply.body.startsWith("{");
  const isOneValue = isJson && !reply.headers["content-type"]?.includes("ndjson");
  const body: unknown = isOneValue ? JSON.parse(reply.body) : reply.body || undefined;
  if (reply.status < 400) return { status: reply.status, body };
  return { status: reply.status, code: (body as { code: string }).code };
}

async function inCode(gateway: Gateway, name: RouteName, sent: RequestParts, principal: Principal) {
  const api = gateway.as(principal, origin) as unknown as Record<string, AnyCall>;
  const result = await (api[name] as AnyCall)(sent);
  if (result.isErr()) return { status: result.error.status, code: result.error.code };
  const answer = result.value;
  if (!("stream" in answer)) return { status: answer.status, body: answer.body };
  return { status: answer.status, body: (await readPieces(answer.stream)) || undefined };
}

it("§0 every route called in code returns and writes the same as over HTTP, for every kind of caller", async () => {
  const storage = await createStorage("memory");
  const scene = await setScene(storage, 7);
  const openCopy = async () =>
    openSceneWorld({
      storage: await scene.storage.fork(),
      seed: scene.seed,
      clock: createFakeClock(scene.now),
    });
  /** Returns the outcome of a call and the state that it left in the store. */
  const observe = async (world: World, call: (world: World) => Promise<Outcome>) => {
    const outcome = await call(world);
    const [store] = world.stores;
    const { ownership, name, revokedAt } = (await store?.devices.find(deviceId)) ?? {};
    const trail = await store?.securityEvents.newest({
      before: Number.MAX_SAFE_INTEGER,
      limit: 3,
    });
    return plain({ ...outcome, device: { ownership, name, revokedAt }, trail });
  };
  // Both copies get the same calls, so they stay equal. A call that succeeded would change what later ones meet.
  const openCopies = async () => ({ http: await openCopy(), code: await openCopy(), isNew: true });
  let copies = await openCopies();
  const compare = async (name: RouteName, sent: RequestParts, actor: keyof typeof principals) => {
    for (;;) {
      const { http, code, isNew } = copies;
      const wanted = await observe(http, (world) => overHttp(world, scene, name, sent, actor));
      const got = await observe(code, (world) =>
        inCode(world.gateways[0] as Gateway, name, sent, principals[actor]),
      );
      expect(got, `${name} by ${actor}`).toBe(wanted);
      const { status } = JSON.parse(got) as Outcome;
      // Earlier attempts have used up a budget, so the call proves little.
      const isLimited = status === 429 && !isNew;
      const hasChanged = status < 300 && routes[name].method !== "GET";
      copies = isLimited || hasChanged ? await openCopies() : { http, code, isNew: false };
      if (!isLimited) return status;
    }
  };
  const statuses = new Map<RouteName, Set<number>>();
  for (const name of Object.keys(routes) as RouteName[]) {
    for (const sample of samplesOf(name)) {
      for (const id of [deviceId, unknownId]) {
        const sent = sample.request(id);
        if (id === unknownId && plain(sent) === plain(sample.request(deviceId))) continue;
        for (const actor of actors) {
          const status = await compare(name, sent, actor);
          statuses.set(name, (statuses.get(name) ?? new Set()).add(status));
        }
      }
    }
  }
  // The control: without a success of each route, equal refusals would prove little. A login has no correct secret here.
  const succeeded = [...statuses].filter(([, seen]) => [...seen].some((status) => status < 300));
  const failed = (Object.keys(routes) as RouteName[]).filter(
    (name) => !succeeded.some(([other]) => other === name),
  );
  expect(failed).toEqual(["loginDevice"]);
});
