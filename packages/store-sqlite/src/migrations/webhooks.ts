/** Version 17: webhook endpoints, their deliveries and the history of attempts. */
export const webhooks = `
CREATE TABLE webhooks (
  id TEXT NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  failing_since INTEGER, -- NULL: the latest attempt succeeded, or there was none
  content TEXT NOT NULL -- JSON; URL and secrets are encrypted
) STRICT;

CREATE TABLE webhook_deliveries (
  endpoint_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  event_id INTEGER NOT NULL,
  is_dead INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  PRIMARY KEY (endpoint_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_in_order
ON webhook_deliveries (endpoint_id, is_dead, event_id, message_id);

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id TEXT NOT NULL,
  content TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX webhook_attempts_by_endpoint ON webhook_attempts (endpoint_id, id);
`;
