import { createHash, sign } from "node:crypto";
import { type Gateway, operator, publishRelease } from "@device-gateway/core";
import { signedLines } from "@device-gateway/core/contract";
import { demoDevice } from "../demo-context.js";
import { type DemoKey, demoKeyId } from "./demo-key.js";

/** The release that the demo gateway is updated to. */
const demoRelease = { version: "1.1.0", notes: "The demo's first update." } as const;

const imageBytes = 600_000;

/** Creates the image. Its bytes are the same at each start, so that all starts publish the same release. */
export function createDemoImage(): Buffer {
  const blocks = Array.from({ length: Math.ceil(imageBytes / 32) }, (_, block) =>
    createHash("sha256").update(`demo firmware ${demoRelease.version}, block ${block}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, imageBytes);
}

/**
 * Signs and publishes the demo's release, as `device-gateway firmware publish` does over HTTP. A release that is already
 * published does not change. Returns the error code on failure, else null.
 */
export async function publishDemoFirmware(
  gateway: Pick<Gateway, "as">,
  { privateKey }: DemoKey,
): Promise<string | null> {
  const image = createDemoImage();
  const facts = {
    version: demoRelease.version,
    targetHardware: demoDevice.targetHardware,
    releasedAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    sha256: createHash("sha256").update(image).digest("hex"),
  };
  const signature = sign("sha256", signedLines(facts), privateKey).toString("base64");
  const release = {
    ...facts,
    size: image.length,
    signature,
    signingKeyId: demoKeyId,
    notes: demoRelease.notes,
  };
  const published = await publishRelease(gateway.as(operator({ id: "demo" })), { release, image });
  return published.match(
    () => null,
    ({ code }) => code,
  );
}
