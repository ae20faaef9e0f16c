import { reasonOf } from "../reason-of.js";
import { hashImage } from "./hash-image.js";
import type { UpdateEvent } from "./machine/update-event.js";
import type { UpdateEffect } from "./machine/update-machine.js";
import type { UpdatePorts } from "./update-ports.js";

/** Progress is saved at this interval in bytes, so a power cut loses at most this much. */
const checkpointBytes = 65_536;

type Download = Extract<UpdateEffect, { kind: "download" }>;

/** 1 s, 2 s, 4 s and so on, each shortened randomly by up to a half. */
const backoffMs = (failures: number, random: () => number) =>
  500 * 2 ** failures * (1 - random() / 2);

type Piece =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "interrupted"; readonly message: string };

async function readPiece(body: AsyncIterator<Uint8Array>): Promise<Piece> {
  try {
    const piece: IteratorResult<Uint8Array, unknown> = await body.next();
    if (piece.done !== true) return { kind: "bytes", bytes: piece.value };
    return { kind: "interrupted", message: "The connection ended before the image was complete." };
  } catch (fault) {
    return { kind: "interrupted", message: reasonOf(fault) };
  }
}

/** Writes a body into the slot until the image is complete. It never reads more than that. */
async function* storeBody(
  { slot }: Pick<UpdatePorts, "slot">,
  { offer: { size } }: Download,
  from: number,
  body: AsyncIterator<Uint8Array>,
): AsyncGenerator<UpdateEvent> {
  if (from === 0) await slot.begin(size);
  const hash = await hashImage(slot, from);
  let written = from;
  let saved = from;
  while (written < size) {
    const piece = await readPiece(body);
    if (piece.kind === "interrupted") {
      if (written > saved) yield { kind: "wrote", offset: written };
      yield piece;
      return;
    }
    const bytes = piece.bytes.subarray(0, size - written);
    await slot.write(written, bytes);
    hash.update(bytes);
    written += bytes.length;
    if (written - saved < checkpointBytes && written < size) continue;
    yield { kind: "wrote", offset: written };
    saved = written;
  }
  yield { kind: "received", sha256: hash.digest() };
}

/** Downloads into the slot from the saved offset and hashes the bytes. */
export async function* performDownload(
  ports: Pick<UpdatePorts, "network" | "slot" | "clock" | "random">,
  effect: Download,
): AsyncGenerator<UpdateEvent> {
  const { offer, offset, etag, failures } = effect;
  const { network, slot, clock, random } = ports;
  try {
    if (offset === offer.size) {
      yield { kind: "received", sha256: (await hashImage(slot, offset)).digest() };
      return;
    }
    if (failures > 0) await clock.wait(backoffMs(failures, random));
    const answer = await network.open({ offer, offset, etag });
    if (answer.kind !== "opened") {
      yield answer;
      return;
    }
    const { body, ...opened } = answer;
    const iterator = body[Symbol.asyncIterator]();
    try {
      yield opened;
      yield* storeBody(ports, effect, opened.offset, iterator);
    } finally {
      // Do not wait for the rest of the body.
      void Promise.resolve(iterator.return?.()).catch(() => {});
    }
  } catch (fault) {
    yield { kind: "flash_failed", message: reasonOf(fault) };
  }
}
