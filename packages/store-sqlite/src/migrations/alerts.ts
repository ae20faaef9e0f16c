/** Alert rules, alerts, the evaluator's watches, and notifications that wait for their delivery. */
export const alerts = `
CREATE TABLE alert_rules (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT, -- NULL: a rule of the operators
  device_id TEXT, -- NULL: no limit
  revision INTEGER NOT NULL,
  content TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_rules_by_owner ON alert_rules (owner_id, id);

CREATE INDEX alert_rules_by_device ON alert_rules (device_id) WHERE device_id IS NOT NULL;

CREATE TABLE alerts (
  id TEXT NOT NULL PRIMARY KEY,
  rule_id TEXT NOT NULL,
  owner_id TEXT,
  subject TEXT NOT NULL,
  device_id TEXT NOT NULL, -- empty: not about a device
  fired_at INTEGER NOT NULL,
  cleared_at INTEGER, -- NULL: it fires
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  muted_until INTEGER,
  reminded_at INTEGER,
  details TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX alerts_firing ON alerts (subject, rule_id) WHERE cleared_at IS NULL;

CREATE INDEX alerts_by_rule ON alerts (rule_id, subject);

CREATE INDEX alerts_by_owner ON alerts (owner_id, fired_at, id);

CREATE INDEX alerts_firing_by_owner ON alerts (owner_id, fired_at, id) WHERE cleared_at IS NULL;

CREATE INDEX alerts_by_device ON alerts (device_id, fired_at, id);

CREATE INDEX alerts_by_end ON alerts (cleared_at, id) WHERE cleared_at IS NOT NULL;

CREATE TABLE alert_watches (
  device_id TEXT NOT NULL PRIMARY KEY, -- empty: the fleet
  revision INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  silent_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE alert_notifications (
  id TEXT NOT NULL PRIMARY KEY,
  alert_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  owner_id TEXT,
  device_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  delivered TEXT NOT NULL, -- JSON: names of channels
  details TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_notifications_due ON alert_notifications (due_at, id);

CREATE INDEX alert_notifications_by_alert ON alert_notifications (alert_id);

CREATE INDEX alert_notifications_by_device ON alert_notifications (device_id);
`;
