import {
  type DeviceStore,
  type PendingRow,
  type ProfileRow,
  pendingColumns,
  profileColumns,
  setColumns,
  toPendingRow,
  toProfileRow,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { endDeliveredCommands, endOpenCommands } from "./command-transitions.js";
import { raiseEpochs } from "./device-columns.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeChanges,
  writeTransitions,
} from "./transition-writer.js";

interface Rotation extends ProfileRow, PendingRow, EventParameters {
  readonly device_id: string;
  readonly expected_revision: number;
  readonly claim_code_hash: string | null;
  readonly claim_code_spent: boolean;
  readonly close_re_enrolment: boolean;
}

interface Use extends EventParameters {
  readonly deviceId: string;
  readonly epoch: number;
  readonly now: number;
}

interface Revocation extends EventParameters {
  readonly deviceId: string;
  readonly now: number;
}

export function createCredentialTransitions(
  connection: Connection,
): Pick<DeviceStore, "rotate" | "recordUse" | "revoke" | "reinstate"> {
  return {
    rotate: createRotate(connection),
    recordUse: createRecordUse(connection),
    ...createRevocation(connection),
  };
}

const rotate = statement<Rotation, object>(
  `WITH ${mark},
   rotated AS (
     UPDATE device_gateway.devices SET ${setColumns([
       ...profileColumns,
       ...pendingColumns,
       "claim_code_hash",
       "claim_code_spent",
     ])}, revision = revision + 1,
       re_enrolment_until = CASE WHEN @close_re_enrolment THEN NULL ELSE re_enrolment_until END
     WHERE device_id = @device_id AND revision = @expected_revision RETURNING device_id
   ), ${writeTransitions("rotated")}
   SELECT FROM rotated`,
);

function createRotate({ transition, write }: Connection): DeviceStore["rotate"] {
  const rotateDevice = async (session: Session, input: Parameters<DeviceStore["rotate"]>[0]) => {
    const rotated = await rotate(session, {
      device_id: input.deviceId,
      expected_revision: input.expectedRevision,
      ...toProfileRow(input.profile),
      ...toPendingRow(input.pending),
      claim_code_hash: input.claimCodeHash,
      claim_code_spent: input.claimCodeSpent,
      close_re_enrolment: input.closeReEnrolment,
      ...toEventParameters(input.event),
    });
    return { kind: rotated.length > 0 ? ("rotated" as const) : ("conflict" as const) };
  };
  return (input) =>
    input.pending.isRotation
      ? transition(input.event, "rotated", (session) => rotateDevice(session, input))
      : write(async (session, join) => {
          const outcome = await rotateDevice(session, input);
          if (outcome.kind === "conflict") return outcome;
          const { deviceId, event } = input;
          await endDeliveredCommands(session, { deviceId, now: event.at });
          await join(event);
          return outcome;
        });
}

/** The device's row after it is locked. The rest of the statement uses these values. */
const seen =
  "seen AS (SELECT * FROM device_gateway.devices WHERE device_id = @deviceId FOR UPDATE)";

const recordUse = statement<Use, { known: boolean }>(
  `WITH ${mark}, ${seen},
   promoted AS (
     UPDATE device_gateway.devices AS d SET secret_hash = d.pending_secret_hash,
       credential_epoch = d.pending_epoch, credential_issued_at = d.pending_issued_at,
       pending_secret_hash = NULL, pending_epoch = NULL, pending_issued_at = NULL, pending_is_rotation = false,
       first_used_at = coalesce(d.first_used_at, @now), revision = d.revision + 1
     FROM seen WHERE d.device_id = seen.device_id
       AND seen.revoked_at IS NULL AND seen.pending_epoch = @epoch::bigint RETURNING d.device_id
   ), used AS (
     UPDATE device_gateway.devices AS d SET first_used_at = @now, revision = d.revision + 1
     FROM seen WHERE d.device_id = seen.device_id AND seen.revoked_at IS NULL
       AND seen.pending_epoch IS DISTINCT FROM @epoch::bigint
       AND seen.credential_epoch = @epoch::bigint AND seen.first_used_at IS NULL
     RETURNING d.device_id
   ), ${writeTransitions("promoted")}, fed_use AS (${writeChanges("used", "@now::bigint")})
   SELECT revoked_at IS NULL AND @epoch::bigint IN (credential_epoch, coalesce(pending_epoch, credential_epoch)) AS known
   FROM seen`,
);

function createRecordUse({ change }: Connection): DeviceStore["recordUse"] {
  return ({ deviceId, epoch, now, event }) =>
    change(async (session) => {
      const use = { deviceId, epoch, now, ...toEventParameters(event) };
      const [device] = await recordUse(session, use);
      return { kind: device?.known ? "recorded" : "unknown" };
    });
}

const revoke = statement<Revocation, { revokedAt: number; isNew: boolean }>(
  `WITH ${mark}, ${seen},
   revoked AS (
     UPDATE device_gateway.devices AS d SET revoked_at = @now, commands_waiting = false, ota_command_open = false,
       revision = d.revision + 1
     FROM seen WHERE d.device_id = seen.device_id AND seen.revoked_at IS NULL RETURNING d.device_id
   ), ${writeTransitions("revoked")}
   SELECT coalesce(revoked_at, @now) AS "revokedAt", revoked_at IS NULL AS "isNew" FROM seen`,
);
const reinstate = statement<Omit<Revocation, "now">, object>(
  `WITH ${mark}, ${seen},
   reinstated AS (
     UPDATE device_gateway.devices AS d SET revoked_at = NULL, revision = d.revision + 1,
       ${raiseEpochs}
     FROM seen WHERE d.device_id = seen.device_id AND seen.revoked_at IS NOT NULL
     RETURNING d.device_id
   ), ${writeTransitions("reinstated")}
   SELECT FROM seen`,
);

function createRevocation({
  change,
  write,
}: Connection): Pick<DeviceStore, "revoke" | "reinstate"> {
  return {
    revoke: ({ deviceId, now, event }) =>
      write(async (session) => {
        const parameters = { deviceId, now, ...toEventParameters(event) };
        const [device] = await revoke(session, parameters);
        if (device === undefined) return { kind: "unknown" };
        if (device.isNew) await endOpenCommands(session, { deviceId, now });
        return { kind: "revoked", revokedAt: device.revokedAt };
      }),

    reinstate: ({ deviceId, event }) =>
      change(async (session) => {
        const device = await reinstate(session, { deviceId, ...toEventParameters(event) });
        return { kind: device.length > 0 ? "recorded" : "unknown" };
      }),
  };
}
