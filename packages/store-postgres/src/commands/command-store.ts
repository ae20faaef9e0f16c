import {
  type Command,
  type CommandKey,
  type CommandRow,
  type CommandStore,
  canonicalJson,
  commandColumnNames,
  toCommand,
  toCommandRow,
  updateNow,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { countOf, type Session, statement } from "../database/statement.js";
import {
  endDueCommands,
  endOpenRequest,
  setCommandsWaiting,
} from "../device/command-transitions.js";
import { lockDevices } from "../device/device-numbers.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
  writeTransitions,
} from "../device/transition-writer.js";
import { answerRequest, findWaitingRequest, writeRequest } from "./update-requests.js";

interface DeviceState {
  readonly ownerId: string | null;
  readonly revokedAt: number | null;
}

type Timed = CommandKey & { readonly now: number };

const names = Object.entries(commandColumnNames);
const select = `SELECT ${names.map(([name, column]) => `${column} AS "${name}"`).join(", ")}
  FROM device_gateway.device_commands`;
const isThis = "device_id = @deviceId AND command_id = @commandId";
const numberOf = (name: string) =>
  `(SELECT number FROM device_gateway.device_commands
    WHERE device_id = @deviceId AND command_id = @${name}::text)`;

/** Serialises all transitions of a device's commands. */
const lock = statement<{ deviceId: string }, DeviceState>(
  `SELECT owner_id AS "ownerId", revoked_at AS "revokedAt" FROM device_gateway.devices
   WHERE device_id = @deviceId FOR UPDATE`,
);
const findOne = statement<CommandKey, CommandRow>(`${select} WHERE ${isThis}`);
const list = statement<Parameters<CommandStore["list"]>[0], CommandRow>(
  `${select} WHERE device_id = @deviceId AND sent_at >= @from
     AND (@before::text IS NULL OR number < ${numberOf("before")})
   ORDER BY number DESC LIMIT @limit`,
);
const lockDue = statement<{ now: number; limit: number }, { deviceId: string }>(
  `SELECT device_id AS "deviceId" FROM device_gateway.devices WHERE device_id IN (
     SELECT DISTINCT device_id FROM device_gateway.device_commands
     WHERE due_at <= @now::bigint LIMIT @limit
   ) ORDER BY device_id FOR UPDATE`,
);
const prune = statement<{ endedBefore: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT number FROM device_gateway.device_commands
     WHERE ended_at < @endedBefore ORDER BY ended_at LIMIT @limit FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.device_commands WHERE number IN (SELECT number FROM old)
     RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);

async function find(session: Session, key: CommandKey): Promise<Command | null> {
  const [row] = await findOne(session, key);
  return row === undefined ? null : toCommand(row);
}

export function createCommandStore(connection: Connection): CommandStore {
  const { read, change, write } = connection;
  return {
    ...createSending(connection),
    ...createDelivery(connection),
    find: (key) => read((session) => find(session, key)),
    list: (input) => read(async (session) => (await list(session, input)).map(toCommand)),

    endDue: ({ now, limit }) =>
      write(async (session) => {
        const devices = await lockDue(session, { now, limit });
        for (const { deviceId } of devices) {
          await endDueCommands(session, { deviceId, now });
          await setCommandsWaiting(session, { deviceId, now });
        }
        return devices.length;
      }),

    prune: (input) => change(async (session) => countOf(await prune(session, input))),
  };
}

const findByKey = statement<Pick<CommandRow, "deviceId" | "sentBy" | "key">, CommandRow>(
  `${select} WHERE device_id = @deviceId AND sent_by = @sentBy AND request_key = @key`,
);
const countOpen = statement<{ deviceId: string }, { count: number }>(
  `SELECT count(*) AS count FROM device_gateway.device_commands
   WHERE device_id = @deviceId AND due_at IS NOT NULL AND name <> '${updateNow}'`,
);
const deleteSurplus = statement<{ deviceId: string; keepEnded: number }, object>(
  `DELETE FROM device_gateway.device_commands WHERE number IN (
     SELECT number FROM device_gateway.device_commands
     WHERE device_id = @deviceId AND due_at IS NULL ORDER BY number DESC OFFSET @keepEnded
   )`,
);
const insert = statement<CommandRow & EventParameters, object>(
  `WITH ${mark},
   sent AS (
     INSERT INTO device_gateway.device_commands (${names.map(([, column]) => column).join(", ")})
     VALUES (${names.map(([name]) => `@${name}`).join(", ")}) RETURNING device_id
   ), ${writeTransitions("sent")}
   SELECT FROM sent`,
);
const cancel = statement<Timed & EventParameters, object>(
  `WITH ${mark},
   cancelled AS (
     UPDATE device_gateway.device_commands
     SET state = 'cancelled', due_at = NULL, ended_at = @now::bigint
     WHERE ${isThis} AND state = 'pending' RETURNING device_id
   ), logged AS (${writeEvents("cancelled")})
   SELECT FROM cancelled`,
);

/** Locks a device. Returns it, or undefined if it is unknown or another owner's. */
async function lockOwned(
  session: Session,
  deviceId: string,
  ownerId: string | null,
): Promise<DeviceState | undefined> {
  const [device] = await lock(session, { deviceId });
  return ownerId === null || device?.ownerId === ownerId ? device : undefined;
}

/** Returns the command of the "update now" request that waits, or null. */
async function findWaiting(
  session: Session,
  at: { readonly deviceId: string; readonly now: number },
): Promise<Command | null> {
  await setCommandsWaiting(session, at);
  const { deviceId } = at;
  const commandId = await findWaitingRequest(session, deviceId);
  return commandId === null ? null : find(session, { deviceId, commandId });
}

function createSending({ write }: Connection): Pick<CommandStore, "send" | "cancel"> {
  return {
    send: ({ command, ownerId, maxOpen, keepEnded, event }) =>
      write(async (session) => {
        const { deviceId, sentAt: now, sentBy, key } = command;
        const device = await lockOwned(session, deviceId, ownerId);
        if (device === undefined) return { kind: "unknown" };
        const isRequest = command.name === updateNow;
        const [earlier] = key === null ? [] : await findByKey(session, { deviceId, sentBy, key });
        if (earlier !== undefined) {
          const repeated = toCommand(earlier);
          const isSame =
            repeated.name === command.name &&
            canonicalJson(repeated.payload) === canonicalJson(command.payload);
          return isSame ? { kind: "repeated", command: repeated } : { kind: "key_reused" };
        }
        if (device.revokedAt !== null && !isRequest) return { kind: "revoked" };
        await endDueCommands(session, { deviceId, now });
        if (isRequest) {
          const waiting = await findWaiting(session, { deviceId, now });
          if (waiting !== null) return { kind: "repeated", command: waiting };
          await endOpenRequest(session, { deviceId, now });
          await writeRequest(session, command);
        } else if (countOf(await countOpen(session, { deviceId })) >= maxOpen) {
          await setCommandsWaiting(session, { deviceId, now });
          return { kind: "full" };
        }
        await deleteSurplus(session, { deviceId, keepEnded });
        await insert(session, { ...toCommandRow(command), ...toEventParameters(event) });
        await setCommandsWaiting(session, { deviceId, now });
        return { kind: "sent" };
      }),

    cancel: ({ deviceId, commandId, ownerId, now, event }) =>
      write(async (session) => {
        const device = await lockOwned(session, deviceId, ownerId);
        if (device === undefined) return { kind: "unknown" };
        await endDueCommands(session, { deviceId, now });
        const key = { deviceId, commandId };
        const cancelled = await cancel(session, { ...key, now, ...toEventParameters(event) });
        await setCommandsWaiting(session, { deviceId, now });
        const command = await find(session, key);
        if (command === null) return { kind: "unknown" };
        return cancelled.length > 0 ? { kind: "cancelled", command } : { kind: "not_pending" };
      }),
  };
}

interface Delivery {
  readonly deviceId: string;
  readonly commandIds: readonly string[];
  readonly now: number;
}

const findAny = statement<{ deviceId: string }, object>(
  "SELECT FROM device_gateway.devices WHERE device_id = @deviceId AND commands_waiting",
);
const listOpen = statement<Parameters<CommandStore["take"]>[0], { commandId: string }>(
  `SELECT command_id AS "commandId" FROM device_gateway.device_commands
   WHERE device_id = @deviceId AND due_at IS NOT NULL AND expires_at > @now
     AND number > coalesce(${numberOf("after")}, 0)
   ORDER BY number LIMIT @limit`,
);
const deliver = statement<Delivery, object>(
  `UPDATE device_gateway.device_commands SET state = 'delivered', delivered_at = @now::bigint,
     due_at = @now::bigint + answer_within_ms
   WHERE device_id = @deviceId AND command_id = ANY (@commandIds::text[]) AND state = 'pending'`,
);
const listThese = statement<Omit<Delivery, "now">, CommandRow>(
  `${select} WHERE device_id = @deviceId AND command_id = ANY (@commandIds::text[])
   ORDER BY number`,
);
const storeAnswer = statement<Timed & { status: string; answer: string }, object>(
  `UPDATE device_gateway.device_commands SET answer = @answer, answered_at = @now::bigint,
     state = CASE WHEN due_at IS NULL THEN state ELSE @status::text END,
     ended_at = coalesce(ended_at, @now::bigint), due_at = NULL
   WHERE ${isThis} AND delivered_at IS NOT NULL AND answer IS NULL RETURNING 1`,
);

function createDelivery({ read, write }: Connection): Pick<CommandStore, "take" | "answer"> {
  return {
    async take(input) {
      const { deviceId, now } = input;
      // A device usually asks when there is nothing, which needs no lock.
      if ((await read((session) => findAny(session, { deviceId }))).length === 0) return [];
      return write(async (session) => {
        if ((await lock(session, { deviceId })).length === 0) return [];
        await endDueCommands(session, { deviceId, now });
        const commandIds = (await listOpen(session, input)).map(({ commandId }) => commandId);
        await deliver(session, { deviceId, commandIds, now });
        await setCommandsWaiting(session, { deviceId, now });
        return (await listThese(session, { deviceId, commandIds })).map(toCommand);
      });
    },

    answer: ({ deviceId, commandId, answer, update, now }) =>
      write(async (session) => {
        // OTA events are written in the order of this lock, and erased with the device.
        if (update !== null && !(await lockDevices(session, [deviceId])).has(deviceId)) {
          return { kind: "unknown" };
        }
        if ((await lock(session, { deviceId })).length === 0) return { kind: "unknown" };
        await endDueCommands(session, { deviceId, now });
        if (update !== null) await answerRequest(session, deviceId, commandId, update);
        const key = { deviceId, commandId };
        const isOfKind = ((await find(session, key))?.name === updateNow) === (update !== null);
        if (isOfKind && update !== null) {
          await deliver(session, { deviceId, commandIds: [commandId], now });
        }
        const text = answer && { status: answer.status, answer: JSON.stringify(answer) };
        const stored =
          isOfKind && text !== null ? await storeAnswer(session, { ...key, now, ...text }) : [];
        await setCommandsWaiting(session, { deviceId, now });
        const command = await find(session, key);
        if (!isOfKind || command === null || command.deliveredAt === null) {
          return { kind: "unknown" };
        }
        return stored.length > 0 ? { kind: "answered", command } : { kind: "repeated" };
      }),
  };
}
