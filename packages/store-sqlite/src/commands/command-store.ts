import {
  type CommandKey,
  type CommandRow,
  type CommandStore,
  canonicalJson,
  commandColumnNames,
  toCommand,
  toCommandRow,
  updateNow,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import {
  type CommandTransitions,
  prepareCommandTransitions,
} from "../device/command-transitions.js";
import { prepareEventWriter } from "../device/security-event-store.js";
import { prepareUpdateRequests } from "./update-requests.js";

const names = Object.entries(commandColumnNames);
const columns = names.map(([name, column]) => `${column} AS ${name}`).join(", ");
const select = `SELECT ${columns} FROM device_commands`;
const isThis = "device_id = @deviceId AND command_id = @commandId";
const numberOf = (name: string) =>
  `(SELECT number FROM device_commands WHERE device_id = @deviceId AND command_id = @${name})`;

interface OwnerRow {
  readonly ownerId: string | null;
  readonly revokedAt: number | null;
}

type TakeInput = Parameters<CommandStore["take"]>[0];
type ListInput = Parameters<CommandStore["list"]>[0];

export function createCommandStore(connection: Connection): CommandStore {
  const { database, read, write } = connection;
  const transitions = prepareCommandTransitions(database);
  const findOne = database.prepare<[CommandKey], CommandRow>(`${select} WHERE ${isThis}`);
  const list = database.prepare<[ListInput], CommandRow>(
    `${select} WHERE device_id = @deviceId AND sent_at >= @from
       AND (@before IS NULL OR number < ${numberOf("before")})
     ORDER BY number DESC LIMIT @limit`,
  );
  const listDue = database
    .prepare<[number, number], string>(
      // Without the hint, SQLite reads all commands in the order of their devices.
      `SELECT DISTINCT device_id FROM device_commands INDEXED BY device_commands_due
       WHERE due_at <= ? LIMIT ?`,
    )
    .pluck();
  const prune = database.prepare<[number, number]>(
    `DELETE FROM device_commands WHERE number IN
       (SELECT number FROM device_commands WHERE ended_at < ? ORDER BY ended_at LIMIT ?)`,
  );
  const find = (key: CommandKey) => {
    const row = findOne.get(key);
    return row === undefined ? null : toCommand(row);
  };

  return {
    ...createSending(connection, transitions),
    ...createDelivery(connection, transitions, find),
    find: (key) => read(() => find(key)),
    list: (input) => read(() => list.all(input).map(toCommand)),

    endDue: ({ now, limit }) =>
      write(() => {
        const deviceIds = listDue.all(now, limit);
        for (const deviceId of deviceIds) {
          transitions.endDue(deviceId, now);
          transitions.setWaiting(deviceId, now);
        }
        return deviceIds.length;
      }),

    prune: ({ endedBefore, limit }) => write(() => prune.run(endedBefore, limit).changes),
  };
}

function prepareOwner(database: Database) {
  const find = database.prepare<[string], OwnerRow>(
    "SELECT owner_id AS ownerId, revoked_at AS revokedAt FROM devices WHERE device_id = ?",
  );
  /** Returns the device, or undefined if it is unknown or another owner's. */
  return (deviceId: string, ownerId: string | null): OwnerRow | undefined => {
    const device = find.get(deviceId);
    return ownerId === null || device?.ownerId === ownerId ? device : undefined;
  };
}

/** The write lock makes each method atomic: nobody else writes between its statements. */
function createSending(
  { database, write }: Connection,
  { endDue, endRequest, setWaiting }: CommandTransitions,
): Pick<CommandStore, "send" | "cancel"> {
  const writeEvent = prepareEventWriter(database);
  const writeChange = prepareChangeWriter(database);
  const findOwned = prepareOwner(database);
  const requests = prepareUpdateRequests(database);
  const findByKey = database.prepare<[Pick<CommandRow, "deviceId" | "sentBy" | "key">], CommandRow>(
    `${select} WHERE device_id = @deviceId AND sent_by = @sentBy AND request_key = @key`,
  );
  const countOpen = database
    .prepare<[string], number>(
      `SELECT count(*) FROM device_commands
       WHERE device_id = ? AND due_at IS NOT NULL AND name <> '${updateNow}'`,
    )
    .pluck();
  const deleteSurplus = database.prepare<[string, number]>(
    `DELETE FROM device_commands WHERE number IN
       (SELECT number FROM device_commands WHERE device_id = ? AND due_at IS NULL
        ORDER BY number DESC LIMIT -1 OFFSET ?)`,
  );
  const insert = database.prepare<[CommandRow]>(
    `INSERT INTO device_commands (${names.map(([, column]) => column).join(", ")})
     VALUES (${names.map(([name]) => `@${name}`).join(", ")})`,
  );
  const findOne = database.prepare<[CommandKey], CommandRow>(`${select} WHERE ${isThis}`);
  const cancel = database.prepare<[CommandKey & { now: number }]>(
    `UPDATE device_commands SET state = 'cancelled', due_at = NULL, ended_at = @now
     WHERE ${isThis} AND state = 'pending'`,
  );
  return {
    send: ({ command, ownerId, maxOpen, keepEnded, event }) =>
      write(() => {
        const { deviceId, sentAt: now, sentBy, key } = command;
        const device = findOwned(deviceId, ownerId);
        if (device === undefined) return { kind: "unknown" };
        const isRequest = command.name === updateNow;
        const earlier = key === null ? undefined : findByKey.get({ deviceId, sentBy, key });
        if (earlier !== undefined) {
          const repeated = toCommand(earlier);
          const isSame =
            repeated.name === command.name &&
            canonicalJson(repeated.payload) === canonicalJson(command.payload);
          return isSame ? { kind: "repeated", command: repeated } : { kind: "key_reused" };
        }
        if (device.revokedAt !== null && !isRequest) return { kind: "revoked" };
        endDue(deviceId, now);
        if (isRequest) {
          setWaiting(deviceId, now);
          const commandId = requests.findWaiting(deviceId);
          const waiting = commandId === null ? undefined : findOne.get({ deviceId, commandId });
          if (waiting !== undefined) return { kind: "repeated", command: toCommand(waiting) };
          endRequest(deviceId, now);
          requests.write(command);
        } else if ((countOpen.get(deviceId) ?? 0) >= maxOpen) {
          setWaiting(deviceId, now);
          return { kind: "full" };
        }
        deleteSurplus.run(deviceId, keepEnded);
        insert.run(toCommandRow(command));
        setWaiting(deviceId, now);
        writeChange(deviceId, now);
        writeEvent(event);
        return { kind: "sent" };
      }),

    cancel: ({ deviceId, commandId, ownerId, now, event }) =>
      write(() => {
        if (findOwned(deviceId, ownerId) === undefined) return { kind: "unknown" };
        endDue(deviceId, now);
        const { changes } = cancel.run({ deviceId, commandId, now });
        setWaiting(deviceId, now);
        const row = findOne.get({ deviceId, commandId });
        if (row === undefined) return { kind: "unknown" };
        if (changes === 0) return { kind: "not_pending" };
        writeEvent(event);
        return { kind: "cancelled", command: toCommand(row) };
      }),
  };
}

function createDelivery(
  { database, read, write }: Connection,
  { endDue, setWaiting }: CommandTransitions,
  find: (key: CommandKey) => ReturnType<typeof toCommand> | null,
): Pick<CommandStore, "take" | "answer"> {
  const needsWrite = database.prepare<[Pick<TakeInput, "deviceId">]>(
    "SELECT 1 FROM devices WHERE device_id = @deviceId AND commands_waiting = 1",
  );
  const listOpen = database.prepare<[TakeInput], CommandRow>(
    `${select} WHERE device_id = @deviceId AND due_at IS NOT NULL AND expires_at > @now
       AND number > ifnull(${numberOf("after")}, 0)
     ORDER BY number LIMIT @limit`,
  );
  const deliver = database.prepare<[CommandKey & { now: number }]>(
    `UPDATE device_commands SET state = 'delivered', delivered_at = @now,
       due_at = @now + answer_within_ms
     WHERE ${isThis} AND state = 'pending'`,
  );
  const storeAnswer = database.prepare<
    [CommandKey & { now: number; status: string; answer: string }]
  >(
    `UPDATE device_commands SET answer = @answer, answered_at = @now,
       state = CASE WHEN due_at IS NULL THEN state ELSE @status END,
       ended_at = ifnull(ended_at, @now), due_at = NULL
     WHERE ${isThis} AND delivered_at IS NOT NULL AND answer IS NULL`,
  );
  const requests = prepareUpdateRequests(database);
  return {
    async take(input) {
      const { deviceId, now } = input;
      // A device usually asks when there is nothing, which needs no write lock.
      if ((await read(() => needsWrite.get({ deviceId }))) === undefined) return [];
      return write(() => {
        endDue(deviceId, now);
        const open = listOpen.all(input);
        for (const { commandId } of open) deliver.run({ deviceId, commandId, now });
        setWaiting(deviceId, now);
        return open.flatMap(({ commandId }) => find({ deviceId, commandId }) ?? []);
      });
    },

    answer: ({ deviceId, commandId, answer, update, now }) =>
      write(() => {
        const key = { deviceId, commandId };
        endDue(deviceId, now);
        if (update !== null) requests.answer(deviceId, commandId, update);
        const name = find(key)?.name;
        const isOfKind = (name === updateNow) === (update !== null);
        if (isOfKind && update !== null) deliver.run({ ...key, now });
        const stored =
          isOfKind && answer !== null
            ? storeAnswer.run({
                ...key,
                now,
                status: answer.status,
                answer: JSON.stringify(answer),
              })
            : { changes: 0 };
        setWaiting(deviceId, now);
        const command = find(key);
        if (!isOfKind || command === null || command.deliveredAt === null) {
          return { kind: "unknown" };
        }
        return stored.changes > 0 ? { kind: "answered", command } : { kind: "repeated" };
      }),
  };
}
