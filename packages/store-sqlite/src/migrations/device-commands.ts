/** Version 15: commands to devices, and whether a device has any to fetch. */
export const deviceCommands = `
CREATE TABLE device_commands (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  payload TEXT NOT NULL, -- JSON
  sent_by TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  request_key TEXT,
  expires_at INTEGER NOT NULL,
  answer_within_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  delivered_at INTEGER, -- NULL: was never handed out
  due_at INTEGER, -- NULL: has ended
  ended_at INTEGER, -- NULL: is open
  answer TEXT, -- JSON
  answered_at INTEGER
) STRICT;

CREATE INDEX device_commands_by_device ON device_commands (device_id, number);

CREATE INDEX device_commands_due ON device_commands (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX device_commands_ended ON device_commands (ended_at) WHERE ended_at IS NOT NULL;

ALTER TABLE devices ADD COLUMN commands_waiting INTEGER NOT NULL DEFAULT 0;
`;
