/**
 * Version 23: searches that read only what they return. Unused devices are in the order of their last registration, so
 * that those that registered again are not examined. Events of a device and an actor are found without those of other
 * actors. Notifications are found by recipient.
 */
export const boundedSearches = `
DROP INDEX devices_unused;

CREATE INDEX devices_unused
ON devices (max(registered_at, credential_issued_at, ifnull(pending_issued_at, 0)), registered_at)
WHERE first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL;

CREATE INDEX security_events_by_device_and_actor ON security_events (device_id, actor, kind, id);

CREATE INDEX alert_notifications_by_owner ON alert_notifications (owner_id, due_at, id);
`;
