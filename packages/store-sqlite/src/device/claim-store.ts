import type { ClaimStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareOwnerAlertsEnd } from "./alert-endings.js";
import { prepareCommandTransitions } from "./command-transitions.js";
import { raiseEpochs } from "./device-columns.js";
import { prepareTransitionWriter } from "./transition-writer.js";

interface Claim {
  readonly deviceId: string;
  readonly ownerId: string;
  readonly claimCodeHash: string | null;
  readonly now: number;
}

type Assignment = Omit<Claim, "claimCodeHash">;

interface OwnerRow {
  readonly ownerId: string | null;
  readonly claimedAt: number;
}

interface AssignedRow extends OwnerRow {
  readonly revokedAt: number | null;
}

interface Release {
  readonly deviceId: string;
  readonly ownerId: string;
  readonly spendCode: 0 | 1;
  readonly at: number;
}

/** True if the device is as it was when the claim was checked. */
const unchanged = `device_id = @deviceId AND revoked_at IS NULL
  AND claim_code_hash IS @claimCodeHash AND claim_code_spent = 0`;

/** Makes the customer the owner. The condition must include that the device has none. */
const own = `UPDATE devices SET owner_id = @ownerId, claimed_at = @now,
  visible_from = CASE owned_before WHEN 1 THEN max(@now, coalesce(visible_from, 0)) ELSE 0 END,
  owned_before = 1, re_enrolment_until = NULL, revision = revision + 1`;

/** `deleteErasedData` deletes the alerts that a release has made unreachable. */
export function createClaimStore(
  { database, write, join }: Connection,
  deleteErasedData: () => Promise<void>,
): ClaimStore {
  const writeTransition = prepareTransitionWriter(database);
  const { endOpen } = prepareCommandTransitions(database);
  const endAlerts = prepareOwnerAlertsEnd(database);
  const claim = database.prepare<[Claim]>(`${own} WHERE ${unchanged} AND owner_id IS NULL`);
  const assign = database.prepare<[Assignment]>(
    `${own} WHERE device_id = @deviceId AND revoked_at IS NULL AND owner_id IS NULL`,
  );
  const findAssigned = database.prepare<[string], AssignedRow>(
    `SELECT owner_id AS ownerId, claimed_at AS claimedAt, revoked_at AS revokedAt FROM devices WHERE device_id = ?`,
  );
  const findOwner = database.prepare<[Pick<Claim, "deviceId" | "claimCodeHash">], OwnerRow>(
    `SELECT owner_id AS ownerId, claimed_at AS claimedAt FROM devices WHERE ${unchanged}`,
  );
  const release = database.prepare<[Release]>(
    `UPDATE devices SET owner_id = NULL, claimed_at = NULL, name = NULL,
       -- Nothing from before the release is visible, although a claim may have begun before it.
       visible_from = @at,
       re_enrolment_until = NULL, config_overrides = '{}', ota_command = NULL, config_revision = config_revision + 1,
       -- A legacy device has no code that could be spent.
       claim_code_spent = claim_code_spent OR (@spendCode AND claim_code_hash IS NOT NULL),
       revision = revision + 1, ${raiseEpochs}
     WHERE device_id = @deviceId AND owner_id = @ownerId`,
  );

  return {
    claim: ({ deviceId, ownerId, claimCodeHash, hadOwner = false, now, event }) =>
      write(() => {
        const claimed =
          !hadOwner && claim.run({ deviceId, ownerId, claimCodeHash, now }).changes > 0;
        if (claimed) {
          endOpen(deviceId, now);
          writeTransition(event);
          join(event);
          return { kind: "claimed", claimedAt: now };
        }
        const owner = findOwner.get({ deviceId, claimCodeHash });
        if (owner === undefined || owner.ownerId === null) return { kind: "changed" };
        if (owner.ownerId !== ownerId) return { kind: "taken" };
        return { kind: "already_owned", claimedAt: owner.claimedAt };
      }),

    assign: ({ deviceId, ownerId, hadOwner = false, now, event }) =>
      write(() => {
        if (!hadOwner && assign.run({ deviceId, ownerId, now }).changes > 0) {
          endOpen(deviceId, now);
          writeTransition(event);
          join(event);
          return { kind: "claimed", claimedAt: now };
        }
        const device = findAssigned.get(deviceId);
        if (device === undefined) return { kind: "unknown" };
        if (device.revokedAt !== null) return { kind: "revoked" };
        if (device.ownerId === null) return { kind: "changed" };
        if (device.ownerId !== ownerId) return { kind: "taken" };
        return { kind: "already_owned", claimedAt: device.claimedAt };
      }),

    release: async ({ deviceId, ownerId, spendCode, event }) => {
      const outcome = await write(() => {
        const { at } = event;
        const { changes } = release.run({ deviceId, ownerId, spendCode: spendCode ? 1 : 0, at });
        if (changes === 0) return { kind: "not_owner" } as const;
        endOpen(deviceId, event.at);
        endAlerts(deviceId, ownerId);
        writeTransition(event);
        join(event);
        return { kind: "released" } as const;
      });
      if (outcome.kind === "released") await deleteErasedData();
      return outcome;
    },
  };
}
