import {
  type DeviceStore,
  type Flag,
  type PendingRow,
  type ProfileRow,
  pendingColumns,
  profileColumns,
  setColumns,
  toPendingRow,
  toProfileRow,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Connection } from "../database/connection.js";
import { type Bits, toBits } from "../database/to-bits.js";
import { prepareCommandTransitions } from "./command-transitions.js";
import { raiseEpochs } from "./device-columns.js";
import { prepareTransitionWriter } from "./transition-writer.js";

interface Rotation extends ProfileRow, PendingRow {
  readonly device_id: string;
  readonly expected_revision: number;
  readonly claim_code_hash: string | null;
  readonly claim_code_spent: Flag;
  readonly close_re_enrolment: Flag;
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

function createRotate({ database, write, join }: Connection): DeviceStore["rotate"] {
  const writeTransition = prepareTransitionWriter(database);
  const { endDelivered } = prepareCommandTransitions(database);
  const columns = [...profileColumns, ...pendingColumns, "claim_code_hash", "claim_code_spent"];
  const rotate = database.prepare<[Bits<Rotation>]>(
    `UPDATE devices SET ${setColumns(columns)}, revision = revision + 1,
       re_enrolment_until = CASE @close_re_enrolment WHEN 1 THEN NULL ELSE re_enrolment_until END
     WHERE device_id = @device_id AND revision = @expected_revision`,
  );
  return (input) =>
    write(() => {
      const { changes } = rotate.run(
        toBits({
          device_id: input.deviceId,
          expected_revision: input.expectedRevision,
          ...toProfileRow(input.profile),
          ...toPendingRow(input.pending),
          claim_code_hash: input.claimCodeHash,
          claim_code_spent: input.claimCodeSpent,
          close_re_enrolment: input.closeReEnrolment,
        }),
      );
      if (changes === 0) return { kind: "conflict" };
      if (!input.pending.isRotation) endDelivered(input.deviceId, input.event.at);
      writeTransition(input.event);
      join(input.event);
      return { kind: "rotated" };
    });
}

interface Use {
  readonly deviceId: string;
  readonly epoch: number;
  readonly now: number;
}

function createRecordUse({ database, write }: Connection): DeviceStore["recordUse"] {
  const writeTransition = prepareTransitionWriter(database);
  const writeChange = prepareChangeWriter(database);
  const isCurrent = "device_id = @deviceId AND credential_epoch = @epoch AND revoked_at IS NULL";
  const promote = database.prepare<[Use]>(
    `UPDATE devices SET secret_hash = pending_secret_hash, credential_epoch = pending_epoch,
       credential_issued_at = pending_issued_at, pending_secret_hash = NULL, pending_epoch = NULL,
       pending_issued_at = NULL, pending_is_rotation = 0, first_used_at = ifnull(first_used_at, @now),
       revision = revision + 1
     WHERE device_id = @deviceId AND pending_epoch = @epoch AND revoked_at IS NULL`,
  );
  const useFirst = database.prepare<[Use]>(
    `UPDATE devices SET first_used_at = @now, revision = revision + 1
     WHERE ${isCurrent} AND first_used_at IS NULL`,
  );
  const findCurrent = database.prepare<[Omit<Use, "now">]>(
    `SELECT 1 FROM devices WHERE ${isCurrent}`,
  );
  return ({ deviceId, epoch, now, event }) =>
    write(() => {
      if (promote.run({ deviceId, epoch, now }).changes > 0) {
        writeTransition(event);
        return { kind: "recorded" };
      }
      if (useFirst.run({ deviceId, epoch, now }).changes > 0) {
        writeChange(deviceId, now);
        return { kind: "recorded" };
      }
      return { kind: findCurrent.get({ deviceId, epoch }) === undefined ? "unknown" : "recorded" };
    });
}

function createRevocation({
  database,
  write,
}: Connection): Pick<DeviceStore, "revoke" | "reinstate"> {
  const writeTransition = prepareTransitionWriter(database);
  const { endOpen } = prepareCommandTransitions(database);
  const revoke = database.prepare<[number, string]>(
    `UPDATE devices SET revoked_at = ?, revision = revision + 1
     WHERE device_id = ? AND revoked_at IS NULL`,
  );
  const findRevokedAt = database
    .prepare<[string], number>("SELECT revoked_at FROM devices WHERE device_id = ?")
    .pluck();
  const reinstate = database.prepare<[string]>(
    `UPDATE devices SET revoked_at = NULL, revision = revision + 1, ${raiseEpochs}
     WHERE device_id = ? AND revoked_at IS NOT NULL`,
  );
  const find = database.prepare<[string]>("SELECT 1 FROM devices WHERE device_id = ?");
  return {
    revoke: ({ deviceId, now, event }) =>
      write(() => {
        if (revoke.run(now, deviceId).changes > 0) {
          endOpen(deviceId, now);
          writeTransition(event);
        }
        const revokedAt = findRevokedAt.get(deviceId);
        return revokedAt === undefined ? { kind: "unknown" } : { kind: "revoked", revokedAt };
      }),

    reinstate: ({ deviceId, event }) =>
      write(() => {
        if (reinstate.run(deviceId).changes > 0) writeTransition(event);
        return { kind: find.get(deviceId) === undefined ? "unknown" : "recorded" };
      }),
  };
}
