/** Version 12: what the gateway refused of each device, one row for each code. */
export const telemetryRefusals = `
CREATE TABLE device_gateway.telemetry_refusals (
  device_id text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (device_id, code)
);
`;
