/** Version 3: firmware releases, the updates of devices, and firmware images. */
export const updates = `
CREATE TABLE device_gateway.releases (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  revision bigint NOT NULL,
  version text NOT NULL,
  target_hardware text NOT NULL,
  released_at text NOT NULL,
  sha256 text NOT NULL,
  size bigint NOT NULL,
  signature text NOT NULL,
  signing_key_id text NOT NULL,
  signature_algorithm text NOT NULL,
  external_url text,
  rollout_channel text NOT NULL,
  rollout_percent double precision NOT NULL,
  mandatory boolean NOT NULL,
  notes text NOT NULL,
  min_version text,
  status text NOT NULL,
  has_image boolean NOT NULL,
  halted_at bigint, -- NULL: the guard did not pause it
  created_at bigint NOT NULL,
  activated_at bigint -- NULL: was never active
);

-- A draft that was given up frees its version.
CREATE UNIQUE INDEX releases_by_version ON device_gateway.releases (target_hardware, version)
WHERE status <> 'withdrawn' OR activated_at IS NOT NULL;

CREATE INDEX releases_active ON device_gateway.releases (id) WHERE status = 'active';

CREATE TABLE device_gateway.device_updates (
  device_id text COLLATE "C" NOT NULL,
  release_id bigint NOT NULL,
  state text NOT NULL,
  from_version text NOT NULL,
  offered_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  attempts text NOT NULL, -- JSON: times
  attempt_served boolean NOT NULL,
  failures bigint NOT NULL,
  outcome text, -- NULL, as the next one: the guard has not counted it
  outcome_round bigint,
  PRIMARY KEY (device_id, release_id)
);

-- Counted when an operator looks: counters would have every device of a rollout wait for the others.
CREATE INDEX device_updates_by_state ON device_gateway.device_updates (release_id, state);

CREATE INDEX device_updates_under_way ON device_gateway.device_updates (updated_at)
WHERE state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE INDEX device_updates_at_rest ON device_gateway.device_updates (updated_at)
WHERE NOT state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE TABLE device_gateway.rollout_tallies (
  release_id bigint PRIMARY KEY,
  round bigint NOT NULL, -- counts the halts
  succeeded bigint NOT NULL,
  failed bigint NOT NULL
);

-- Images by what they are; their bytes lie under the upload that brought them.
CREATE TABLE device_gateway.artifacts (
  sha256 text COLLATE "C" PRIMARY KEY,
  size bigint NOT NULL,
  upload uuid NOT NULL
);

CREATE TABLE device_gateway.artifact_uploads (
  upload uuid PRIMARY KEY,
  last_piece_at timestamptz NOT NULL -- of the server's clock: says which were given up, and nothing else
);

CREATE TABLE device_gateway.artifact_pieces (
  upload uuid NOT NULL,
  start bigint NOT NULL, -- of its first byte in the image
  content bytea NOT NULL,
  PRIMARY KEY (upload, start)
);
-- Images do not get smaller, and pieces are read whole.
ALTER TABLE device_gateway.artifact_pieces ALTER COLUMN content SET STORAGE EXTERNAL;
`;
