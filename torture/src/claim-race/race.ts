import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";

/** Enough attempts that a claimant gives up only because of a bug, even on a busy machine. */
const maxTries = 2_000;
const pauseMs = 20;

/**
 * Repeats a claim while the answer is "not now", as a good client does. A repetition that finds the device
 * already owned by this claimant counts as a win: the first response was lost.
 */
export async function insist(
  claim: () => Promise<string>,
  words: { readonly notNow: string; readonly won: string; readonly had: string },
): Promise<string> {
  for (let tries = 0; tries < maxTries; tries++) {
    const answer = await claim();
    if (answer === words.had && tries > 0) return words.won;
    if (answer !== words.notNow) return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return `${words.notNow} after ${maxTries} tries`;
}

/** One claim, as the use case makes it after it has checked the code. */
export const claimAtPort = (
  store: GatewayStore,
  deviceId: string,
  ownerId: string,
  now: number,
): Promise<string> =>
  insist(
    async () => {
      const event = {
        kind: "device.claimed",
        at: now,
        deviceId,
        actor: ownerId,
        requestId: null,
        clientAddress: null,
        details: {},
      } as const;
      try {
        const claim = { deviceId, ownerId, claimCodeHash: null, now, event };
        return (await store.claims.claim(claim)).kind;
      } catch (error) {
        return error instanceof StoreUnavailableError ? "unavailable" : String(error);
      }
    },
    { notNow: "unavailable", won: "claimed", had: "already_owned" },
  );

/** Returns what is wrong after a race: one claimant must win and own the device, all others must lose. */
export async function judge(
  store: GatewayStore,
  deviceId: string,
  outcomes: ReadonlyMap<string, string>,
  words: { readonly winner: string; readonly loser: string },
): Promise<string[]> {
  const winners = [...outcomes].filter(([, outcome]) => outcome === words.winner);
  const others = [...outcomes.values()].filter(
    (outcome) => outcome !== words.winner && outcome !== words.loser,
  );
  const found: string[] = [];
  if (winners.length !== 1) found.push(`${deviceId}: ${winners.length} winners`);
  if (others.length > 0) found.push(`${deviceId}: also ${[...new Set(others)].join(", ")}`);
  const owner = (await store.devices.find(deviceId))?.ownership?.ownerId;
  const [winner] = winners[0] ?? [];
  if (owner !== winner) found.push(`${deviceId}: ${winner} won, but ${owner} owns it`);
  return found;
}

/** Returns the claimants of every claim in the audit trail, by device. */
export async function claimsInTrail(store: GatewayStore): Promise<Map<string, string[]>> {
  const claims = new Map<string, string[]>();
  for (let after = 0; ; ) {
    const events = await store.securityEvents.list({ after, limit: 1_000 });
    for (const { id, kind, deviceId, actor } of events) {
      after = id;
      if (kind === "device.claimed") claims.set(deviceId, [...(claims.get(deviceId) ?? []), actor]);
    }
    if (events.length === 0) return claims;
  }
}
