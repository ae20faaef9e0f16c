import { describeRelease } from "../releases.js";
import { need, type World } from "../world.js";

/** Publishes release 1 and creates release 2 as a draft. */
export async function plantReleases(
  { send }: World,
  token: string,
  targetHardware: string,
  { image, draftNotes }: { readonly image: string; readonly draftNotes: string },
): Promise<void> {
  const path = "/operator/firmware/releases";
  const create = async (body: object) =>
    need(await send({ method: "POST", path, token, body }), 201);
  await create(describeRelease("9.0.1", targetHardware, image));
  const bytes = Buffer.from(image);
  need(await send({ method: "PUT", path: `${path}/1/image`, token, body: bytes }), 200);
  need(await send({ method: "PATCH", path: `${path}/1`, token, body: { status: "active" } }), 200);
  await create({ ...describeRelease("9.0.2", targetHardware, "draft"), notes: draftNotes });
}
