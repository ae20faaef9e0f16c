import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import { addressName, siteName } from "./address-name.js";
import { type Draw, drawTokens, giveTokensBack } from "./draw-tokens.js";

/** A bucket holds the bytes of this many minutes, because a device may start with a backlog. */
const burstMinutes = 10;
/** Allowances of one IPv6 /48, whose holder can send from 65,536 networks. */
const networksPerSite = 16;

export interface UnclaimedBytes {
  readonly deviceId: string;
  readonly clientAddress: string | null;
  readonly bytes: number;
}

/** Returns bytes that a request drew and did not send. */
export type GiveBytesBack = (bytes: number) => Promise<void>;

export type DrawnBytes = Result<GiveBytesBack, Failure<"too_many_requests">>;

type Quota = Pick<Draw, "bucket" | "who" | "perMinute">;

/** Draws from all buckets, or from none. */
async function drawAll(
  context: GatewayContext,
  quotas: readonly Quota[],
  cost: number,
): Promise<DrawnBytes> {
  const draws = quotas.map((quota) => ({
    ...quota,
    burst: quota.perMinute * burstMinutes,
    cost,
  }));
  for (const [place, draw] of draws.entries()) {
    const drawn = await drawTokens(context, draw);
    if (drawn.isOk()) continue;
    for (const taken of draws.slice(0, place)) await giveTokensBack(context, taken);
    return err(drawn.error);
  }
  return ok(async (bytes) => {
    for (const draw of draws) await giveTokensBack(context, { ...draw, cost: bytes });
  });
}

/**
 * Draws the bytes of an unclaimed device from its quota and from the allowance of its client address. When the
 * allowance is used up, the bytes come from the total of all unclaimed devices instead. So a device that is alone at
 * its address never depends on the total, which an attacker may use up. The allowance of an IPv4 address and of an
 * IPv6 /64 is the quota of one device, that of an IPv6 /48 is sixteen times as much.
 */
export async function drawUnclaimedBytes(
  context: GatewayContext,
  { deviceId, clientAddress, bytes }: UnclaimedBytes,
): Promise<DrawnBytes> {
  const { unclaimedBytesPerMinute: perMinute, unclaimedTotalBytesPerMinute: total } =
    context.limits;
  const device = { bucket: "unclaimed", who: deviceId, perMinute };
  if (total === 0) return drawAll(context, [device], bytes);
  const name = addressName(clientAddress);
  const allowances = [
    { bucket: "unclaimed-address", who: name, perMinute },
    { bucket: "unclaimed-site", who: siteName(name), perMinute: perMinute * networksPerSite },
  ];
  const own = await drawAll(context, [device, ...allowances], bytes);
  if (own.isOk()) return own;
  const all = { bucket: "unclaimed-total", who: "all", perMinute: total };
  const shared = await drawAll(context, [device, all], bytes);
  if (shared.isOk()) return shared;
  const waitOf = ({ error }: typeof own) => error.retryAfterSeconds ?? 0;
  return waitOf(own) < waitOf(shared) ? own : shared;
}
