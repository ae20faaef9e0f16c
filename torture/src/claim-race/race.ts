import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";

const maxTries = 50;
const pauseMs = 20;

/**
 * Tries until the answer is another than "not now", as a good client does. Who won and did not
 * hear of it is told that it is theirs already: that counts as winning.
 */
export async function insist(
  claim: () => Promise<string>,
  words: { readonly notNow: string; readonly won: string; readonly had: string },
): Promise<string> {
  for (let tries = 0; tries < maxTries; tries++) {
    const said = await claim();
    if (said === words.had && tries > 0) return words.won;
    if (said !== words.notNow) return said;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return `${words.notNow} for ever`;
}

/** One claim, as a use case makes it once the code was right. */
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

/** What must be true after a race: one winner, who is the owner, and all others were told so. */
export async function judge(
  store: GatewayStore,
  deviceId: string,
  outcomes: ReadonlyMap<string, string>,
  told: { readonly winner: string; readonly loser: string },
): Promise<string[]> {
  const winners = [...outcomes].filter(([, outcome]) => outcome === told.winner);
  const others = [...outcomes.values()].filter(
    (outcome) => outcome !== told.winner && outcome !== told.loser,
  );
  const found: string[] = [];
  if (winners.length !== 1) found.push(`${deviceId}: ${winners.length} winners`);
  if (others.length > 0) found.push(`${deviceId}: also ${[...new Set(others)].join(", ")}`);
  const owner = (await store.devices.find(deviceId))?.ownership?.ownerId;
  const [winner] = winners[0] ?? [];
  if (owner !== winner) found.push(`${deviceId}: ${winner} was told so, ${owner} owns it`);
  return found;
}

/** Every claim that the audit trail tells of, by device. */
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
