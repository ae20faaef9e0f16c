import type { GatewayStore } from "@device-gateway/core";

export type ClaimKind = "claimed" | "already_owned" | "taken" | "changed";

/** One claim, as a use case makes it once the code was right. */
export async function claimAtPort(
  store: GatewayStore,
  deviceId: string,
  ownerId: string,
  now: number,
): Promise<ClaimKind> {
  const outcome = await store.claims.claim({
    deviceId,
    ownerId,
    claimCodeHash: null,
    now,
    event: {
      kind: "device.claimed",
      at: now,
      deviceId,
      actor: ownerId,
      requestId: null,
      clientAddress: null,
      details: {},
    },
  });
  return outcome.kind;
}

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
