import { BrokenBodyError } from "./broken-body-error.js";

/** Thrown to whoever reads an upload when there is no more of it; answered with its code. */
export class UploadError extends Error {
  override readonly name = "UploadError";
  readonly code: "payload_too_large" | "upload_incomplete";

  constructor(code: "payload_too_large" | "upload_incomplete", cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Hears when a body is first asked for, and when no more of it will be. */
export interface UploadWatch {
  begun(): void;
  over(): void;
}

/** Bounds a body to `limit` bytes, and gives what breaks it off its code. */
export async function* toUpload(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  watch: UploadWatch,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  watch.begun();
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > limit) throw new UploadError("payload_too_large");
      yield chunk;
    }
  } catch (fault) {
    throw fault instanceof BrokenBodyError ? new UploadError("upload_incomplete", fault) : fault;
  } finally {
    watch.over();
  }
}
