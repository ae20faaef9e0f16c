/** Version 9: facts of the embedder about devices, and an index by which operators find devices. */
export const deviceMetadata = `
CREATE TABLE device_gateway.device_metadata (
  device_id text COLLATE "C" PRIMARY KEY,
  content text COLLATE "C" NOT NULL -- JSON: the values, and when each was set
);

CREATE TABLE device_gateway.device_metadata_index (
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (key, value, device_id)
);

CREATE INDEX device_metadata_index_by_device ON device_gateway.device_metadata_index (device_id);
`;
