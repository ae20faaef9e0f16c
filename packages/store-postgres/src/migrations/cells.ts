/** Version 23: at home, the id of the last event that was imported from each cell. */
export const cells = `
CREATE TABLE device_gateway.imported_events (
  cell integer PRIMARY KEY,
  up_to bigint NOT NULL
);
`;
