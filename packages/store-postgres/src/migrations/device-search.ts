/** Version 13: indexes by which operators find devices and events. */
export const deviceSearch = `
CREATE INDEX devices_by_name ON device_gateway.devices (name COLLATE "C", device_id) WHERE name IS NOT NULL;

CREATE INDEX devices_by_owner_text ON device_gateway.devices (owner_id COLLATE "C", device_id)
WHERE owner_id IS NOT NULL;

CREATE INDEX devices_by_hardware ON device_gateway.devices (target_hardware COLLATE "C", device_id);

CREATE INDEX devices_by_version ON device_gateway.devices (firmware_version COLLATE "C", device_id);

CREATE INDEX devices_revoked ON device_gateway.devices (device_id) WHERE revoked_at IS NOT NULL;

CREATE INDEX devices_unclaimed ON device_gateway.devices (device_id) WHERE owner_id IS NULL;

CREATE INDEX security_events_by_device ON device_gateway.security_events (device_id, id);

CREATE INDEX security_events_by_actor ON device_gateway.security_events (actor, id);
`;
