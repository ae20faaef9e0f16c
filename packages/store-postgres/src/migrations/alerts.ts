/** Alert rules, alerts, the evaluator's watches, and notifications that wait for their delivery. */
export const alerts = `
CREATE TABLE device_gateway.alert_rules (
  id text COLLATE "C" PRIMARY KEY,
  owner_id text COLLATE "C", -- NULL: a rule of the operators
  device_id text COLLATE "C", -- NULL: no limit
  revision bigint NOT NULL,
  content text COLLATE "C" NOT NULL -- JSON
);

CREATE INDEX alert_rules_by_owner ON device_gateway.alert_rules (owner_id, id);

CREATE INDEX alert_rules_by_device ON device_gateway.alert_rules (device_id) WHERE device_id IS NOT NULL;

CREATE TABLE device_gateway.alerts (
  id text COLLATE "C" PRIMARY KEY,
  rule_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C",
  subject text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL, -- empty: not about a device
  fired_at bigint NOT NULL,
  cleared_at bigint, -- NULL: it fires
  acknowledged_at bigint,
  acknowledged_by text COLLATE "C",
  muted_until bigint,
  reminded_at bigint,
  details text COLLATE "C" NOT NULL -- JSON
);

CREATE UNIQUE INDEX alerts_firing ON device_gateway.alerts (subject, rule_id) WHERE cleared_at IS NULL;

CREATE INDEX alerts_by_rule ON device_gateway.alerts (rule_id, subject);

CREATE INDEX alerts_by_owner ON device_gateway.alerts (owner_id, fired_at, id);

CREATE INDEX alerts_firing_by_owner ON device_gateway.alerts (owner_id, fired_at, id)
WHERE cleared_at IS NULL;

CREATE INDEX alerts_by_device ON device_gateway.alerts (device_id, fired_at, id);

CREATE INDEX alerts_by_end ON device_gateway.alerts (cleared_at, id) WHERE cleared_at IS NOT NULL;

CREATE TABLE device_gateway.alert_watches (
  device_id text COLLATE "C" PRIMARY KEY, -- empty: the fleet
  revision bigint NOT NULL,
  content text COLLATE "C" NOT NULL, -- JSON
  received_at bigint NOT NULL,
  due_at bigint NOT NULL,
  silent_at bigint
);

CREATE TABLE device_gateway.alert_notifications (
  id text COLLATE "C" PRIMARY KEY,
  alert_id text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C",
  device_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  due_at bigint NOT NULL,
  attempts integer NOT NULL,
  delivered text COLLATE "C" NOT NULL, -- JSON: names of channels
  details text COLLATE "C" NOT NULL -- JSON
);

CREATE INDEX alert_notifications_due ON device_gateway.alert_notifications (due_at, id);

CREATE INDEX alert_notifications_by_alert ON device_gateway.alert_notifications (alert_id);

CREATE INDEX alert_notifications_by_device ON device_gateway.alert_notifications (device_id);
`;
