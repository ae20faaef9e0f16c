/** Version 24: an "update now" request is a command. Those that wait become pending commands, which expire after a year. */
export const updateNow = `
ALTER TABLE device_gateway.devices ADD COLUMN ota_command_open boolean NOT NULL DEFAULT false;

INSERT INTO device_gateway.device_commands
  (command_id, device_id, name, payload, sent_by, sent_at, expires_at, answer_within_ms, state, due_at)
SELECT request_id, device_id, 'update-now', '{}', owner_id, requested_at, requested_at + 31536000000,
  86400000, 'pending', requested_at + 31536000000
FROM (
  SELECT device_id, owner_id, ota_command::json ->> 'requestId' AS request_id,
    (ota_command::json ->> 'requestedAt')::bigint AS requested_at
  FROM device_gateway.devices
  WHERE owner_id IS NOT NULL AND ota_command IS NOT NULL
    AND ota_command::json ->> 'answeredAt' IS NULL
) AS waiting;

UPDATE device_gateway.devices SET commands_waiting = true, ota_command_open = true
WHERE device_id IN (SELECT device_id FROM device_gateway.device_commands WHERE name = 'update-now');
`;
