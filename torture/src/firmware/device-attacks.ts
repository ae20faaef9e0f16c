import {
  bodyOf,
  type Intercept,
} from "../../../packages/device-client/src/testing/release-server.js";
import type { Dice } from "../dice.js";
import { mixReleases, spoilBytes, spoilRelease } from "./mutations.js";
import { otherTarget, type ReleaseWorld, running } from "./release-world.js";
import type { DeviceAttack } from "./run-device-attack.js";

export const attackNames = [
  "wrong signature",
  "wrong hash",
  "rollback",
  "freeze",
  "mix-and-match",
  "endless download",
  "truncated download",
  "wrong hardware",
] as const;
export type AttackName = (typeof attackNames)[number];

type MakeDeviceAttack = (world: ReleaseWorld, dice: Dice) => DeviceAttack;

const stallMs = 120_000;
const isDownload = (path: string) => path.startsWith("/ota/firmware");

/** Answers each download with `respond`, which gets the number of the first requested byte. */
const onDownload =
  (respond: (from: number) => Response): Intercept =>
  ({ path, headers }) => {
    if (!isDownload(path)) return undefined;
    return respond(Number(/^bytes=(\d+)/.exec(headers.get("range") ?? "")?.[1] ?? 0));
  };

function rollBack({ genuine, make }: ReleaseWorld, dice: Dice): DeviceAttack {
  if (dice.chance(0.4)) {
    // The device rolled back from 1.1.9, which it had confirmed. Versions up to that one are too old.
    const { release, image } = make(`1.1.${1 + dice.int(8)}`);
    return { offer: release, image, floor: "1.1.9" };
  }
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const earlier = dice.chance(0.5)
    ? `${major}.${dice.int(minor)}.${dice.int(1_000)}`
    : `0.${dice.int(99)}.0`;
  const { release, image } = dice.pick([genuine.old, genuine.current, make(earlier)]);
  return { offer: release, image };
}

/** Keeps the device on its version: sends old offers, useless responses or none. */
function freeze({ genuine, make }: ReleaseWorld, dice: Dice): DeviceAttack {
  const { release, image } = dice.pick([genuine.current, genuine.old, make("1.0.9")]);
  const silent: DeviceAttack["intercept"] = (clock) => () => {
    clock.advance(stallMs);
    return new Promise<Response>(() => {});
  };
  const answers: readonly (() => Response)[] = [
    () => Response.json({ updateAvailable: false, currentVersion: running }),
    () => new Response(null, { status: 304 }),
    () =>
      new Response(null, { status: 503, headers: { "retry-after": String(dice.int(2 ** 31)) } }),
    () => new Response("<html>", { status: 200 }),
    () => new Response(bodyOf(new Uint8Array(), "go_on")),
    () => Response.json({ updateAvailable: true }),
  ];
  const answer = dice.pick(answers);
  const intercepts = [undefined, silent, () => () => answer()];
  const intercept = dice.pick(intercepts);
  return { offer: release, image, ...(intercept && { intercept }) };
}

function endless({ genuine: { newest } }: ReleaseWorld, dice: Dice): DeviceAttack {
  const { release, image } = newest;
  // Correct up to a random byte, then wrong, and longer than the image.
  const prefix = image.slice(0, dice.int(image.length));
  const noise = Uint8Array.from({ length: image.length + 1_000 }, () => dice.int(256));
  noise.set(prefix);
  noise[prefix.length] = (image[prefix.length] ?? 0) ^ 1;
  const length = dice.pick([undefined, "99999999999", String(image.length), "-1", "x"]);
  const headers = { etag: '"1"', ...(length !== undefined && { "content-length": length }) };
  const respond = () => new Response(bodyOf(noise, "go_on"), { headers });
  return { offer: release, image, intercept: () => onDownload(respond) };
}

function truncated({ genuine: { newest } }: ReleaseWorld, dice: Dice): DeviceAttack {
  const { release, image } = newest;
  const end = dice.int(image.length);
  const how = dice.pick(["end", "break", "stall"] as const);
  const declaresLength = dice.chance(0.5);
  return {
    offer: release,
    image,
    intercept: (clock) => {
      const stalled = () => clock.advance(stallMs);
      return onDownload((from) => {
        const headers = {
          etag: '"1"',
          ...(declaresLength && { "content-length": String(image.length - from) }),
          ...(from > 0 && { "content-range": `bytes ${from}-${image.length - 1}/${image.length}` }),
        };
        const body = bodyOf(image.subarray(from, Math.max(from, end)), how, stalled);
        return new Response(body, { status: from > 0 ? 206 : 200, headers });
      });
    },
  };
}

function wrongHardware(
  { genuine: { foreign, newest }, make }: ReleaseWorld,
  dice: Dice,
): DeviceAttack {
  const other = dice.pick([
    foreign,
    make(`1.${3 + dice.int(9)}.0`, otherTarget),
    make("2.0.0", "esp32dev2"),
  ]);
  switch (dice.int(3)) {
    case 0:
      return { offer: other.release, image: other.image };
    case 1:
      return { offer: { ...other.release, targetHardware: "esp32dev" }, image: other.image };
    default:
      return { offer: newest.release, image: other.image };
  }
}

/** The attacks of an impersonated server, by name. A device must not install any of these images. */
export const deviceAttacks: Readonly<Record<AttackName, MakeDeviceAttack>> = {
  "wrong signature": ({ genuine: { newest } }, dice) => ({
    offer: spoilRelease(newest, dice),
    image: newest.image,
  }),
  "wrong hash": ({ genuine: { newest } }, dice) => ({
    offer: newest.release,
    image: spoilBytes(newest.image, dice),
    // Without a Content-Length, because a wrong length would reveal the attack.
    intercept: () => onDownload(() => new Response(bodyOf(spoilBytes(newest.image, dice)))),
  }),
  rollback: rollBack,
  freeze,
  "mix-and-match": ({ genuine }, dice) => {
    const all = Object.values(genuine);
    return { offer: mixReleases(all, dice), image: dice.pick(all).image };
  },
  "endless download": endless,
  "truncated download": truncated,
  "wrong hardware": wrongHardware,
};
