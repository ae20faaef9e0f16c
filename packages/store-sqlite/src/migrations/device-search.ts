/** Version 14: indexes by which operators find devices and events. */
export const deviceSearch = `
CREATE INDEX devices_by_name ON devices (name, device_id) WHERE name IS NOT NULL;

CREATE INDEX devices_by_hardware ON devices (target_hardware, device_id);

CREATE INDEX devices_by_version ON devices (firmware_version, device_id);

CREATE INDEX devices_revoked ON devices (device_id) WHERE revoked_at IS NOT NULL;

CREATE INDEX devices_unclaimed ON devices (device_id) WHERE owner_id IS NULL;

CREATE INDEX security_events_by_device ON security_events (device_id, id);

CREATE INDEX security_events_by_actor ON security_events (actor, id);
`;
