/**
 * Version 27: searches that read only what they return. Unused devices are in the order of their last registration, so
 * that those that registered again are not examined. Events of a device and an actor are found without those of other
 * actors. Notifications are found by recipient.
 */
export const boundedSearches = `
DROP INDEX device_gateway.devices_unused;

CREATE INDEX devices_unused ON device_gateway.devices
  (greatest(registered_at, credential_issued_at, pending_issued_at), registered_at)
WHERE first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL;

CREATE INDEX security_events_by_device_and_actor ON device_gateway.security_events
  (device_id, actor, kind, id);

CREATE INDEX alert_notifications_by_owner ON device_gateway.alert_notifications (owner_id, due_at, id);
`;
