/** Version 11: cursors and leases of processes that follow a log. */
export const followers = `
CREATE TABLE device_gateway.followers (
  name text COLLATE "C" PRIMARY KEY,
  cursor text COLLATE "C" NOT NULL, -- empty at first
  holder text COLLATE "C", -- NULL: nobody has the lease
  lease_until bigint NOT NULL
);
`;
