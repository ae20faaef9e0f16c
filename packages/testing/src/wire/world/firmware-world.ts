import type { ReleaseRequest } from "@device-gateway/core/contract";
import { expect } from "vitest";
import type { ReleaseSigner } from "../../fixtures/release-signer.js";
import { sampleImage } from "../../fixtures/sample-image.js";
import { signRelease } from "../../fixtures/sign-release.js";
import { signers } from "./wire-firmware.js";
import { sampleRegistration, type WireReply, type WireWorld } from "./wire-world.js";

/** The target hardware of the suite's devices. */
export const targetHardware = sampleRegistration().hardwareId;

/** Returns the body that creates a release, signed with `key-1` by default. */
export async function signSample(
  image: Uint8Array,
  changes: Partial<ReleaseRequest> = {},
  by?: ReleaseSigner,
): Promise<Partial<ReleaseRequest>> {
  const [first] = await signers();
  const plan = {
    version: "1.0.0",
    targetHardware,
    releasedAt: "2026-01-31T12:00:00Z",
    ...changes,
  };
  return { ...(await signRelease(by ?? first, plan, image)), ...changes };
}

/** Returns the signer of `key-2` (Ed25519). */
export const secondSigner = async (): Promise<ReleaseSigner> => (await signers())[1];

export const asOperator = ({ signIn }: WireWorld): Promise<string> =>
  signIn("op", { roles: ["operator"] });

/** Uploads a release's image. */
export const upload = (
  { call }: WireWorld,
  token: string,
  releaseId: number | string,
  image: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
) =>
  call("uploadReleaseImage", {
    token,
    params: { releaseId: String(releaseId) },
    raw: image,
    headers: { "content-type": "application/octet-stream", ...headers },
  });

/** Publishes a release through the operator's routes. Returns its id and image. */
export async function publish(
  world: WireWorld,
  changes: Partial<ReleaseRequest> = {},
  image: Uint8Array<ArrayBuffer> = sampleImage(100_000),
): Promise<{ id: number; image: Uint8Array }> {
  const token = await asOperator(world);
  const body = await signSample(image, changes);
  const created = await world.call("createRelease", { token, body });
  expect(created.status).toBe(201);
  const { id } = created.body.release;
  expect((await upload(world, token, id, image)).status).toBe(200);
  const params = { releaseId: String(id) };
  const activated = { token, params, body: { status: "active" } };
  expect((await world.call("changeRelease", activated)).status).toBe(200);
  return { id, image };
}

/** The image of most releases. */
export const image: Uint8Array<ArrayBuffer> = sampleImage(50_000);
export const outcome = ({ status, body }: WireReply): unknown[] => [status, body.code];
export const refused = (status: number, code: string): unknown[] => [status, code];

/** Returns the operator's calls for releases. */
export async function releaseAdmin(world: WireWorld) {
  const token = await asOperator(world);
  const { call } = world;
  const path = (releaseId: number | string) => ({ params: { releaseId: String(releaseId) } });
  return {
    token,
    create: (body: unknown) => call("createRelease", { token, body }),
    change: (id: number | string, body: object) =>
      call("changeRelease", { token, ...path(id), body }),
    read: (id: number | string) => call("readRelease", { token, ...path(id) }),
    list: (query = {}) => call("listReleases", { token, query }),
  };
}
