import { BrokenBodyError } from "./broken-body-error.js";

/** Thrown to the reader of an upload that ends too early or is too large. The response has its code. */
export class UploadError extends Error {
  override readonly name = "UploadError";
  readonly code: "payload_too_large" | "upload_incomplete";

  constructor(code: "payload_too_large" | "upload_incomplete", cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Called when the reading of a body begins and when it ends. */
export interface UploadWatch {
  onStart(): void;
  onEnd(): void;
}

/** Limits a body to `limit` bytes, and gives an error code to whatever interrupts it. */
export async function* toUpload(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  watch: UploadWatch,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  watch.onStart();
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > limit) throw new UploadError("payload_too_large");
      yield chunk;
    }
  } catch (fault) {
    throw fault instanceof BrokenBodyError ? new UploadError("upload_incomplete", fault) : fault;
  } finally {
    watch.onEnd();
  }
}
