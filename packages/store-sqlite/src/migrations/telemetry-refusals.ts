/** Version 13: what the gateway refused of each device, one row for each code. */
export const telemetryRefusals = `
CREATE TABLE telemetry_refusals (
  device_id TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, code)
) STRICT, WITHOUT ROWID;
`;
