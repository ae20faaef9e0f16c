/** Version 8: a keyed hash shows whether a gateway has the secrets of this database. */
export const keyCheck = `
CREATE TABLE device_gateway.key_check (
  id integer PRIMARY KEY CHECK (id = 1),
  value text COLLATE "C" NOT NULL
);
`;
