import { sampleImage } from "../../fixtures/sample-image.js";
import type { WireWorld } from "./wire-world.js";

/** Registers a device and returns a function that requests an image for it. */
export async function downloader(world: WireWorld) {
  const { token } = await world.register();
  return (releaseId: number | string, headers: Record<string, string> = {}) =>
    world.call("downloadFirmware", { token, params: { releaseId: String(releaseId) }, headers });
}

const largeImages = new Map<number, Uint8Array<ArrayBuffer>>();

/**
 * Returns an image twice as large as the buffers between a server and a client on Linux, or a smaller one if there are
 * no buffers. Each is computed once.
 */
export function largeImage({ isInProcess }: WireWorld): Uint8Array<ArrayBuffer> {
  const size = isInProcess ? 1_000_000 : 8_000_000;
  const image = largeImages.get(size) ?? sampleImage(size);
  largeImages.set(size, image);
  return image;
}

/** Begins a download. The result reports its length in bytes, or null if it was aborted. */
export async function begin({ fetch }: WireWorld, releaseId: number, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`/api/v1/ota/firmware/${releaseId}`, { headers });
  const reader = response.body?.getReader();
  let length = (await reader?.read())?.value?.length ?? 0;
  return {
    status: response.status,
    async rest(): Promise<number | null> {
      try {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) return length;
          length += value?.length ?? 0;
        }
      } catch {
        return null;
      }
    },
  };
}
