import type { Dice } from "../dice.js";
import { need } from "../world.js";
import type { AttackName } from "./device-attacks.js";
import { mixReleases, spoilBytes, spoilRelease } from "./mutations.js";
import { type Genuine, otherTarget, type ReleaseWorld, readId } from "./release-world.js";

/** Tries an attack. Returns what the server did wrong. */
type TryServer = (world: ReleaseWorld, dice: Dice) => Promise<readonly string[]>;

const newest = "1.2.0";

/** Checks that the device is still offered the expected version. */
async function expectOffer(
  world: ReleaseWorld,
  expected: string | null = newest,
  currentVersion?: string,
): Promise<string[]> {
  const offered = await world.offered(currentVersion);
  return offered === expected ? [] : [`${offered} was offered instead of ${expected}`];
}

/** Tries to publish a release whose signature does not match. */
async function publishForged(world: ReleaseWorld, forged: object, image: Uint8Array) {
  const created = await world.create(forged);
  const found =
    created.status >= 500 ? [`the server answered the creation with ${created.status}`] : [];
  if (created.status < 300) {
    found.push(`a release with a forged signature was accepted: ${JSON.stringify(forged)}`);
    const id = readId(created);
    await world.upload(id, image);
    await world.change(id, { status: "active" });
  }
  return [...found, ...(await expectOffer(world))];
}

/** Tries to upload an image other than the signed one, and to activate the release. */
async function publishSpoilt(world: ReleaseWorld, { release }: Genuine, image: Uint8Array) {
  const id = readId(need(await world.create(release), 201));
  const uploaded = await world.upload(id, image);
  const activated = await world.change(id, { status: "active" });
  const downloaded = await world.download(id);
  const found = [
    ...(uploaded.status === 400 || uploaded.status === 413
      ? []
      : [`the upload got ${uploaded.status}`]),
    ...(activated.status === 409 ? [] : [`the activation got ${activated.status}`]),
    ...(downloaded.status === 404 ? [] : [`the download got ${downloaded.status}`]),
    ...(await expectOffer(world)),
  ];
  need(await world.change(id, { status: "withdrawn" }), 200);
  return found;
}

const freshVersion = (dice: Dice) => `1.2.${1 + dice.int(999_999)}`;

const tryWithdrawn: TryServer = async (world, dice) => {
  const { make, publish, change, download } = world;
  const id = await publish(make(freshVersion(dice)));
  const end = dice.chance(0.5) ? "withdrawn" : "paused";
  need(await change(id, { status: end }), 200);
  const { status } = await download(id);
  const found = await expectOffer(world);
  if (end === "paused") need(await change(id, { status: "withdrawn" }), 200);
  return status === 404
    ? found
    : [...found, `the image of a release that is ${end} was downloaded: ${status}`];
};

/** The attacks on the server, by name. It must not offer any of these releases. */
export const serverAttacks: Readonly<Record<AttackName, TryServer>> = {
  "wrong signature": (world, dice) =>
    publishForged(world, spoilRelease(world.make(freshVersion(dice)), dice), new Uint8Array(10)),
  "wrong hash": (world, dice) => {
    const genuine = world.make(freshVersion(dice));
    return publishSpoilt(world, genuine, spoilBytes(genuine.image, dice));
  },
  rollback: async (world, dice) => {
    const runs = dice.pick([newest, `1.2.${dice.int(1_000)}`, `${2 + dice.int(9)}.0.0`, "1.10.0"]);
    return expectOffer(world, null, runs);
  },
  freeze: tryWithdrawn,
  "mix-and-match": async (world, dice) => {
    const all = Object.values(world.genuine);
    return publishForged(world, mixReleases(all, dice), dice.pick(all).image);
  },
  "endless download": (world, dice) => {
    const genuine = world.make(freshVersion(dice));
    const longer = new Uint8Array(genuine.image.length + 1 + dice.int(10_000));
    longer.set(genuine.image);
    return publishSpoilt(world, genuine, longer);
  },
  "truncated download": (world, dice) => {
    const genuine = world.make(freshVersion(dice));
    const end = dice.int(genuine.image.length);
    return publishSpoilt(world, genuine, genuine.image.subarray(0, end));
  },
  "wrong hardware": async (world, dice) => {
    const target = dice.pick([otherTarget, "ESP32DEV", "esp32dev2", "esp32"]);
    const id = await world.publish(world.make(freshVersion(dice), target));
    const { status } = await world.download(id);
    const found = await expectOffer(world);
    need(await world.change(id, { status: "withdrawn" }), 200);
    return status === 404
      ? found
      : [...found, `an image for other hardware was downloaded: ${status}`];
  },
};
