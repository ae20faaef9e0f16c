import { createFakeClock } from "@device-gateway/testing";
import type { AttackOptions } from "../attack.js";
import type { Dice } from "../dice.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type World, type WorldReply } from "../world.js";
import { forgeClaims } from "./forge-claims.js";
import { forgeSignatures } from "./forge-signatures.js";
import { signToken } from "./sign.js";
import { bearer, type Forgery, type Target } from "./target.js";
import { customerTargets, deviceTargets, type Keys, toOptions } from "./verifiers.js";

/** An endpoint for each kind of authentication that a route can require. */
const endpoints = {
  device: [
    { method: "GET", path: "/device/config" },
    { method: "POST", path: "/telemetry", body: { voltage: 12.5 } },
  ],
  user: [
    { method: "DELETE", path: "/user/devices/gw-unknown/claim" },
    { method: "GET", path: "/dashboard/devices" },
    { method: "GET", path: "/operator/devices" },
  ],
} as const;
type Side = keyof typeof endpoints;

const victimId = "gw-victim";
const otherId = "gw-other";

const isRefused = ({ status, headers, body }: WorldReply) =>
  status === 401 &&
  headers["www-authenticate"] === "Bearer" &&
  body.includes('"code":"unauthorized"') &&
  body.includes('"error":"Unauthorized"');

/** Sends a token to every endpoint of its side. Returns what is wrong with the responses. */
async function trySide(world: World, side: Side, { name, authorization }: Forgery) {
  const found: string[] = [];
  for (const endpoint of endpoints[side]) {
    const reply = await world.send({ ...endpoint, headers: { authorization } });
    if (isRefused(reply)) continue;
    const answer = `${reply.status} ${reply.body.slice(0, 120)}`;
    found.push(`${name}: ${endpoint.method} ${endpoint.path} answers ${answer}`);
  }
  return found;
}

/** The control: the genuine token must be accepted, or the refusals prove nothing. */
async function control(world: World, side: Side, target: Target) {
  const { authorization } = bearer("", signToken(target.parts, target.key));
  for (const endpoint of endpoints[side]) {
    const { status } = await world.send({ ...endpoint, headers: { authorization } });
    if (status === 401) return [`the genuine ${target.name} gets 401 at ${endpoint.path}`];
  }
  return [];
}

function confusions(keys: Keys, by: "secret" | "keys", devices: Target[], users: Target[]) {
  const genuine = (target: Target) => signToken(target.parts, target.key);
  const under = (header: object, target: Target) =>
    signToken(
      { header: { ...target.parts.header, ...header }, claims: target.parts.claims },
      target.key,
    );
  const toUsers = devices.flatMap((target) => [
    bearer(`a ${target.name}`, genuine(target)),
    ...users.map(({ key }) =>
      bearer(`a ${target.name} under kid ${key.kid}`, under({ kid: key.kid }, target)),
    ),
  ]);
  const toDevices = users.flatMap((target) => [
    bearer(`a ${target.name}`, genuine(target)),
    ...keys.device.map(({ kid }) =>
      bearer(
        `a ${target.name} as device+jwt under kid ${kid}`,
        under({ typ: "device+jwt", kid }, target),
      ),
    ),
  ]);
  // If an embedder uses one key for both kinds of token, the purpose must still distinguish them.
  const shared = users.flatMap((user) =>
    devices
      .slice(0, 1)
      .map((device) =>
        bearer(
          `a device token by the key of the ${by} of customers`,
          signToken({ header: user.parts.header, claims: device.parts.claims }, user.key),
        ),
      ),
  );
  return { user: [...toUsers, ...shared], device: toDevices };
}

const epochOf = (token: string): number => {
  const claims = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return (JSON.parse(claims) as { epoch: number }).epoch;
};

/** Tries all forgeries at one gateway. Returns what is wrong, and how many forgeries there were. */
export async function tryForgeries(
  options: AttackOptions,
  by: "secret" | "keys",
  keys: Keys,
  dice: Dice,
) {
  const { seed, store, plants } = options;
  const storage = await createStorage(store);
  const clock = createFakeClock();
  const world = await openWorld({
    storage,
    seed,
    clock,
    plants,
    options: toOptions(keys, by, clock),
  });
  const body = { hardwareId: "h:1", firmwareVersion: "0.1.10", claimCode: "ABCD-EFGH" };
  const register = async (deviceId: string) => {
    const path = "/device/register";
    return need(await world.send({ method: "POST", path, body: { ...body, deviceId } }), 201);
  };
  await register(otherId);
  const epoch = epochOf(needText(await register(victimId), "token"));
  const now = clock.now() / 1000;
  const place = { now, someoneElse: otherId };
  const devices = deviceTargets(keys, place, { deviceId: victimId, epoch });
  const operator = { id: "op-1", roles: ["operator"] };
  const users = [
    ...customerTargets(keys, by, place, { id: "user-1", roles: [] }),
    ...customerTargets(keys, by, place, operator).slice(0, 1),
  ];
  const crossed = confusions(keys, by, devices, users);
  const ofEpoch = (wrong: unknown) =>
    devices.map(({ parts, key }) =>
      bearer(
        `epoch ${JSON.stringify(wrong)} by ${key.alg}`,
        signToken({ ...parts, claims: { ...parts.claims, epoch: wrong } }, key),
      ),
    );
  const epochs = [
    undefined,
    null,
    0,
    1,
    -1,
    epoch + 1,
    epoch - 1,
    epoch + 0.1,
    `${epoch}`,
    true,
    [epoch],
    1e308,
  ].flatMap(ofEpoch);
  const strangers = devices.map(({ parts, key }) =>
    bearer(
      "an unknown device",
      signToken({ ...parts, claims: { ...parts.claims, sub: "gw-x" } }, key),
    ),
  );
  const forgeriesOf = (targets: Target[]) =>
    targets.flatMap((target) =>
      [...forgeSignatures(target, dice), ...forgeClaims(target)].map((forgery) => ({
        ...forgery,
        name: `${target.name}: ${forgery.name}`,
      })),
    );
  const forged = {
    device: [...forgeriesOf(devices), ...crossed.device, ...epochs, ...strangers],
    user: [...forgeriesOf(users), ...crossed.user],
  };
  const found: string[] = [];
  for (const target of devices) found.push(...(await control(world, "device", target)));
  for (const target of users) found.push(...(await control(world, "user", target)));
  for (const side of ["device", "user"] as const) {
    for (const forgery of forged[side]) found.push(...(await trySide(world, side, forgery)));
  }
  await world.close();
  await storage.remove();
  return { found, tried: forged.device.length + forged.user.length };
}
