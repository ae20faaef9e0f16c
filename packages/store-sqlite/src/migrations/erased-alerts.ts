/**
 * Version 24: marks of alerts that nobody can reach any more and that are still to be deleted. Their device was erased, or
 * their owner released it. Indexes have the alerts of a rule and subject, and those of a device and owner, in the order of
 * time.
 */
export const erasedAlerts = `
CREATE TABLE alerts_erased (
  device_id TEXT NOT NULL,
  owner_id TEXT NOT NULL, -- empty: the alerts of all owners and of the operators
  up_to INTEGER NOT NULL, -- alerts.fired_at
  PRIMARY KEY (device_id, owner_id)
) STRICT, WITHOUT ROWID;

DROP INDEX alerts_by_rule;

CREATE INDEX alerts_by_rule ON alerts (rule_id, subject, fired_at, id);

CREATE INDEX alerts_by_device_and_owner ON alerts (device_id, owner_id, fired_at, id);
`;
