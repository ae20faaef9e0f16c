/** Version 21: an "update now" request is a command. Those that wait become pending commands, which expire after a year. */
export const updateNow = `
ALTER TABLE devices ADD COLUMN ota_command_open INTEGER NOT NULL DEFAULT 0;

INSERT INTO device_commands
  (command_id, device_id, name, payload, sent_by, sent_at, expires_at, answer_within_ms, state, due_at)
SELECT request_id, device_id, 'update-now', '{}', owner_id, requested_at, requested_at + 31536000000,
  86400000, 'pending', requested_at + 31536000000
FROM (
  SELECT device_id, owner_id, json_extract(ota_command, '$.requestId') AS request_id,
    json_extract(ota_command, '$.requestedAt') AS requested_at
  FROM devices
  WHERE owner_id IS NOT NULL AND json_extract(ota_command, '$.answeredAt') IS NULL
    AND ota_command IS NOT NULL
);

UPDATE devices SET commands_waiting = 1, ota_command_open = 1
WHERE device_id IN (SELECT device_id FROM device_commands WHERE name = 'update-now');
`;
