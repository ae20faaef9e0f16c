/** Version 10: a keyed hash shows whether a gateway has the secrets of this database. */
export const keyCheck = `
CREATE TABLE key_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value TEXT NOT NULL
) STRICT;
`;
