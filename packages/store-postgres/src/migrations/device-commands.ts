/** Version 14: commands to devices, and whether a device has any to fetch. */
export const deviceCommands = `
CREATE TABLE device_gateway.device_commands (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- ascends among the commands of a device
  command_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  payload text COLLATE "C" NOT NULL, -- JSON
  sent_by text COLLATE "C" NOT NULL,
  sent_at bigint NOT NULL,
  request_key text COLLATE "C",
  expires_at bigint NOT NULL,
  answer_within_ms bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  delivered_at bigint, -- NULL: was never handed out
  due_at bigint, -- NULL: has ended
  ended_at bigint, -- NULL: is open
  answer text COLLATE "C", -- JSON
  answered_at bigint
);

CREATE INDEX device_commands_by_device ON device_gateway.device_commands (device_id, number);

CREATE INDEX device_commands_due ON device_gateway.device_commands (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX device_commands_ended ON device_gateway.device_commands (ended_at)
WHERE ended_at IS NOT NULL;

ALTER TABLE device_gateway.devices ADD COLUMN commands_waiting boolean NOT NULL DEFAULT false;
`;
