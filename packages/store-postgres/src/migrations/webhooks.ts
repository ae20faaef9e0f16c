/** Version 19: webhook endpoints, their deliveries and the history of attempts. */
export const webhooks = `
CREATE TABLE device_gateway.webhooks (
  id text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  failing_since bigint, -- NULL: the latest attempt succeeded, or there was none
  content text COLLATE "C" NOT NULL -- JSON; URL and secrets are encrypted
);

CREATE TABLE device_gateway.webhook_deliveries (
  endpoint_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  is_dead boolean NOT NULL,
  content text COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (endpoint_id, message_id)
);

CREATE INDEX webhook_deliveries_in_order
ON device_gateway.webhook_deliveries (endpoint_id, is_dead, event_id, message_id);

CREATE TABLE device_gateway.webhook_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL -- JSON
);

CREATE INDEX webhook_attempts_by_endpoint ON device_gateway.webhook_attempts (endpoint_id, id);
`;
