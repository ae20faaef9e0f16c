import type {
  AssignOutcome,
  ClaimOutcome,
  ClaimStore,
  SecurityEvent,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { endOwnerAlerts } from "./alert-endings.js";
import { endOpenCommands } from "./command-transitions.js";
import { raiseEpochs } from "./device-columns.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeTransitions,
} from "./transition-writer.js";

interface Claim extends EventParameters {
  readonly deviceId: string;
  readonly ownerId: string;
  readonly claimCodeHash: string | null;
  readonly hadOwner: boolean;
  readonly now: number;
}

interface OwnerRow {
  readonly ownerId: string | null;
  readonly claimedAt: number | null;
}

interface AssignedRow extends OwnerRow {
  readonly revokedAt: number | null;
}

interface Release extends EventParameters {
  readonly deviceId: string;
  readonly ownerId: string;
  readonly spendCode: boolean;
}

/** Finds and locks the device if it is as it was when the claim was checked. */
const seen = `seen AS (
  SELECT device_id, owner_id, claimed_at FROM device_gateway.devices
  WHERE device_id = @deviceId AND revoked_at IS NULL
    AND claim_code_hash IS NOT DISTINCT FROM @claimCodeHash AND NOT claim_code_spent
  FOR UPDATE)`;

/** Makes the customer the owner of the device that `seen` found, if it has none and had none when the caller read it. */
const ownIf = (condition: string) => `claimed AS (
     UPDATE device_gateway.devices AS d SET owner_id = @ownerId, claimed_at = @now::bigint,
       visible_from =
         CASE WHEN d.owned_before THEN greatest(@now::bigint, d.visible_from) ELSE 0 END,
       owned_before = true, re_enrolment_until = NULL, commands_waiting = false, ota_command_open = false,
       revision = d.revision + 1
     FROM seen WHERE d.device_id = seen.device_id AND ${condition} AND NOT @hadOwner::boolean
     RETURNING d.device_id
   ), ${writeTransitions("claimed")}`;

const claim = statement<Claim, OwnerRow>(
  `WITH ${mark}, ${seen}, ${ownIf("seen.owner_id IS NULL")}
   SELECT owner_id AS "ownerId", claimed_at AS "claimedAt" FROM seen`,
);
const assign = statement<Omit<Claim, "claimCodeHash">, AssignedRow>(
  `WITH ${mark},
   seen AS (
     SELECT device_id, owner_id, claimed_at, revoked_at FROM device_gateway.devices
     WHERE device_id = @deviceId FOR UPDATE
   ), ${ownIf("seen.owner_id IS NULL AND seen.revoked_at IS NULL")}
   SELECT owner_id AS "ownerId", claimed_at AS "claimedAt", revoked_at AS "revokedAt" FROM seen`,
);
const release = statement<Release, object>(
  `WITH ${mark},
   released AS (
     UPDATE device_gateway.devices AS d SET owner_id = NULL, claimed_at = NULL,
       -- Nothing from before the release is visible, although a claim may have begun before it.
       visible_from = @eventAt::bigint, name = NULL, re_enrolment_until = NULL, config_overrides = '{}', ota_command = NULL,
       commands_waiting = false, ota_command_open = false, config_revision = d.config_revision + 1,
       -- A legacy device has no code that could be spent.
       claim_code_spent = d.claim_code_spent OR (@spendCode AND d.claim_code_hash IS NOT NULL),
       revision = d.revision + 1, ${raiseEpochs}
     WHERE device_id = @deviceId AND owner_id = @ownerId RETURNING device_id
   ), ${writeTransitions("released")}
   SELECT FROM released`,
);

/** Returns what became of a device that had this owner before. */
function toOutcome(
  { ownerId, claimedAt }: OwnerRow,
  input: Pick<Claim, "ownerId" | "hadOwner" | "now">,
) {
  if (ownerId === null || claimedAt === null) {
    if (input.hadOwner) return { kind: "changed" } as const;
    return { kind: "claimed", claimedAt: input.now } as const;
  }
  if (ownerId !== input.ownerId) return { kind: "taken" } as const;
  return { kind: "already_owned", claimedAt } as const;
}

/** `deleteErasedRows` deletes the alerts that a release has made unreachable, as many as it can in its time. */
export function createClaimStore(
  { write }: Connection,
  deleteErasedRows: () => Promise<void>,
): ClaimStore {
  /** Runs a claim. In a statement of its own, it ends the commands that were sent while the claim waited for the lock. */
  const own = <Outcome extends ClaimOutcome | AssignOutcome>(
    event: SecurityEvent,
    work: (session: Session, parameters: EventParameters) => Promise<Outcome>,
  ): Promise<Outcome> =>
    write(async (session, join) => {
      const outcome = await work(session, toEventParameters(event));
      if (outcome.kind !== "claimed") return outcome;
      await endOpenCommands(session, { deviceId: event.deviceId, now: outcome.claimedAt });
      await join(event);
      return outcome;
    });
  return {
    claim: ({ event, hadOwner = false, ...claimant }) =>
      own<ClaimOutcome>(event, async (session, parameters) => {
        const input = { ...claimant, hadOwner };
        const [device] = await claim(session, { ...input, ...parameters });
        return device === undefined ? { kind: "changed" } : toOutcome(device, input);
      }),

    assign: ({ event, hadOwner = false, ...assignee }) =>
      own<AssignOutcome>(event, async (session, parameters) => {
        const input = { ...assignee, hadOwner };
        const [device] = await assign(session, { ...input, ...parameters });
        if (device === undefined) return { kind: "unknown" };
        return device.revokedAt === null ? toOutcome(device, input) : { kind: "revoked" };
      }),

    release: async ({ event, ...input }) => {
      const outcome = await write(async (session, join) => {
        const released = await release(session, { ...input, ...toEventParameters(event) });
        if (released.length === 0) return { kind: "not_owner" } as const;
        await endOpenCommands(session, { deviceId: input.deviceId, now: event.at });
        // In statements of their own, which see the alerts of a judgement that the release waited for.
        await endOwnerAlerts(session, input);
        await join(event);
        return { kind: "released" } as const;
      });
      if (outcome.kind === "released") await deleteErasedRows();
      return outcome;
    },
  };
}
