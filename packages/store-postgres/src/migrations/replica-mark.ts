/**
 * One row that processes with a read replica change every second. A replica that shows a mark has everything that was
 * committed before the mark (docs/decisions/0051-read-replica.md).
 */
export const replicaMark = `
CREATE TABLE device_gateway.replica_mark (
  id integer PRIMARY KEY CHECK (id = 1),
  mark bigint NOT NULL,
  lineage text COLLATE "C" NOT NULL -- of the server that wrote the mark
);

INSERT INTO device_gateway.replica_mark VALUES (1, 0, '');
`;
