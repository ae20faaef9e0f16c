import { BrokenBodyError, type JsonBody } from "@device-gateway/core";

/** Why a body parser of Express refused a body. */
export type Refusal =
  | { readonly kind: "malformed"; readonly isCut: boolean }
  /** The length is null if the request did not declare it. */
  | { readonly kind: "too_large"; readonly length: number | null; readonly limit: number };

/** The codes of zlib, Zstandard and Brotli. body-parser gives such an error no type. */
const decompressionCode = /^(Z_|ZSTD_|ERR__)/;

/** Converts an error of body-parser. Returns null for all other errors. */
export function toRefusal(error: unknown): Refusal | null {
  const { type, status, code, length, limit } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // The gateway refuses every Content-Encoding (415) before it reads the body.
  if (status === 400 && typeof code === "string" && decompressionCode.test(code))
    return { kind: "malformed", isCut: false };
  switch (type) {
    // The gateway refuses these by their headers (415) before it reads the body.
    case "encoding.unsupported":
    case "charset.unsupported":
    case "entity.parse.failed":
    case "request.aborted":
    case "request.size.invalid":
      return { kind: "malformed", isCut: type === "request.aborted" };
    case "entity.too.large":
      return {
        kind: "too_large",
        length: typeof length === "number" ? length : null,
        limit: Number(limit),
      };
    default:
      return null;
  }
}

const createLimitError = (refusedAbove: number, needed: string) =>
  new Error(
    `A body parser before the gateway rejects bodies above ${refusedAbove} bytes, but the gateway accepts ${needed}. Mount the gateway before the parser, or raise the parser's limit.`,
  );

/**
 * Returns what the gateway would have read.
 * @throws {Error} if the gateway accepts the body. The parser's limit is wrong then, and the client may try again.
 */
export function readRefusedBody(refusal: Refusal, limit: number): JsonBody {
  if (refusal.kind === "malformed") return refusal;
  const isTooLarge = refusal.limit >= limit || (refusal.length !== null && refusal.length > limit);
  if (isTooLarge) return { kind: "too_large" };
  throw createLimitError(refusal.limit, `up to ${limit} bytes here`);
}

/** Returns a stream that fails, because the parser has already consumed the bytes. */
// biome-ignore lint/correctness/useYield: It is a stream, and it has nothing to yield.
export async function* streamRefusedBody(refusal: Refusal): AsyncGenerator<Uint8Array> {
  if (refusal.kind === "malformed") throw new BrokenBodyError();
  throw createLimitError(refusal.limit, "longer images");
}
