/** Version 12: cursors and leases of processes that follow a log. */
export const followers = `
CREATE TABLE followers (
  name TEXT NOT NULL PRIMARY KEY,
  cursor TEXT NOT NULL, -- empty at first
  holder TEXT, -- NULL: nobody has the lease
  lease_until INTEGER NOT NULL
) STRICT;
`;
