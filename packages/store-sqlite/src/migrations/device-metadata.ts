/** Version 11: facts of the embedder about devices, and an index by which operators find devices. */
export const deviceMetadata = `
CREATE TABLE device_metadata (
  device_id TEXT NOT NULL PRIMARY KEY,
  content TEXT NOT NULL -- JSON: the values, and when each was set
) STRICT;

CREATE TABLE device_metadata_index (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (key, value, device_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_metadata_index_by_device ON device_metadata_index (device_id);
`;
