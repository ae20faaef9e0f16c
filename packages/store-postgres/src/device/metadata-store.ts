import {
  type ActivityRow,
  canonicalJson,
  type DeviceMetadata,
  type DeviceRow,
  type MetadataStore,
  toDevice,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import { devices } from "./device-columns.js";
import { type EventParameters, mark, toEventParameters, writeEvents } from "./transition-writer.js";

interface Page {
  readonly key: string;
  readonly value: string;
  readonly after: string;
  readonly limit: number;
}

interface Replacement extends EventParameters {
  readonly deviceId: string;
  readonly content: string | null;
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

const select = statement<{ deviceId: string }, { content: string }>(
  "SELECT content FROM device_gateway.device_metadata WHERE device_id = @deviceId",
);
/** Locks the device, so that it is neither erased nor given other metadata meanwhile. */
const lock = statement<{ deviceId: string }, object>(
  "SELECT FROM device_gateway.devices WHERE device_id = @deviceId FOR UPDATE",
);
const clear = statement<{ deviceId: string }, object>(
  `WITH indexed AS (
     DELETE FROM device_gateway.device_metadata_index WHERE device_id = @deviceId
   )
   DELETE FROM device_gateway.device_metadata WHERE device_id = @deviceId`,
);
const set = statement<Replacement, object>(
  `WITH ${mark},
   changed AS (SELECT @deviceId::text AS device_id),
   stored AS (
     INSERT INTO device_gateway.device_metadata (device_id, content)
     SELECT device_id, @content::text FROM changed WHERE @content::text IS NOT NULL
   ), indexed AS (
     INSERT INTO device_gateway.device_metadata_index (key, value, device_id)
     SELECT key, value, device_id
     FROM changed, unnest(@keys::text[], @values::text[]) AS entry (key, value)
   ), logged AS (${writeEvents("changed")})
   SELECT FROM changed`,
);
const list = statement<Page, DeviceRow & ActivityRow>(
  `SELECT * FROM ${devices} WHERE device_id IN (
     SELECT device_id FROM device_gateway.device_metadata_index
     WHERE key = @key AND value = @value AND device_id > @after ORDER BY device_id LIMIT @limit
   ) ORDER BY device_id`,
);

async function find(session: Session, deviceId: string): Promise<DeviceMetadata | null> {
  const [row] = await select(session, { deviceId });
  return row === undefined ? null : (JSON.parse(row.content) as DeviceMetadata);
}

export function createMetadataStore({ read, write }: Connection): MetadataStore {
  return {
    find: (deviceId) => read((session) => find(session, deviceId)),

    replace: ({ deviceId, expected, next, index, event }) =>
      write(async (session) => {
        if ((await lock(session, { deviceId })).length === 0) return { kind: "unknown" };
        const found = await find(session, deviceId);
        if (canonicalJson(found) !== canonicalJson(expected)) return { kind: "conflict" };
        await clear(session, { deviceId });
        await set(session, {
          deviceId,
          content: next && JSON.stringify(next),
          keys: Object.keys(index),
          values: Object.values(index),
          ...toEventParameters(event),
        });
        return { kind: "replaced" };
      }),

    listDevices: (page) => read(async (session) => (await list(session, page)).map(toDevice)),
  };
}
