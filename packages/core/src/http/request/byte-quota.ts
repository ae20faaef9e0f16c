import type { Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Operation } from "../../contract/index.js";
import type { Awaitable } from "../../shared/awaitable.js";
import type { Failure } from "../../shared/failure.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { drawTokens, giveTokensBack } from "../../throttle/draw-tokens.js";
import { drawUnclaimedBytes, type GiveBytesBack } from "../../throttle/draw-unclaimed-bytes.js";
import type { Caller } from "./authenticate.js";
import type { GatewayRequest } from "./message.js";

/** Bytes that a request counts besides its body: its headers, and what a store writes for any request. */
const requestBytes = 512;

/** The quota that the bytes of a device's telemetry are drawn from (§9). */
export interface ByteQuota {
  /**
   * Draws for a request before its body is read. A body without a `Content-Length` counts as the largest one that the
   * route accepts.
   */
  draw(): Awaitable<Result<unknown, Failure<"too_many_requests">>>;
  /**
   * Refunds what a body of `length` bytes did not use. Nothing is refunded for a body that is malformed or too
   * large. Undefined for a body with a `Content-Length`.
   */
  readonly settle: ((length: number) => Promise<void>) | undefined;
}

/**
 * Returns the quota that a request draws from, or undefined if it draws from none. A device without an owner has a
 * smaller quota than others, unless that is switched off.
 */
export function byteQuotaOf(
  context: GatewayContext,
  { throttle, request: declaredBody }: Operation,
  caller: Caller,
  request: GatewayRequest,
  { clientAddress }: RequestOrigin,
): ByteQuota | undefined {
  if (caller.kind !== "device") return undefined;
  if (throttle !== "telemetry" || declaredBody.kind !== "json") return undefined;
  const { deviceId, ownership } = caller.device;
  const { unclaimedBytesPerMinute, telemetryBytesPerMinute: perMinute } = context.limits;
  const largest = context.limits[declaredBody.limit];
  const header = request.header("content-length");
  const contentLength = header === undefined ? largest : Number(header);
  // A body that is too large is rejected unread.
  const bytes = requestBytes + (contentLength <= largest ? contentLength : 0);
  const settleWith = (giveBack: GiveBytesBack) =>
    header === undefined ? (length: number) => giveBack(largest - length) : undefined;

  if (ownership === null && unclaimedBytesPerMinute > 0) {
    let giveBack: GiveBytesBack = async () => {};
    return {
      async draw() {
        const drawn = await drawUnclaimedBytes(context, { deviceId, clientAddress, bytes });
        giveBack = drawn.unwrapOr(giveBack);
        return drawn;
      },
      settle: settleWith((unused) => giveBack(unused)),
    };
  }
  if (perMinute === 0) return undefined;
  const quota = { bucket: "telemetry-bytes", who: deviceId, perMinute, burst: perMinute / 2 };
  return {
    draw: () => drawTokens(context, { ...quota, cost: bytes }),
    settle: settleWith((unused) => giveTokensBack(context, { ...quota, cost: unused })),
  };
}
