/** Version 3: firmware releases. */
export const releases = `
CREATE TABLE releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL,
  version TEXT NOT NULL,
  target_hardware TEXT NOT NULL,
  released_at TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  signature TEXT NOT NULL,
  signing_key_id TEXT NOT NULL,
  signature_algorithm TEXT NOT NULL,
  external_url TEXT,
  rollout_channel TEXT NOT NULL,
  rollout_percent INTEGER NOT NULL,
  mandatory INTEGER NOT NULL,
  notes TEXT NOT NULL,
  min_version TEXT,
  status TEXT NOT NULL,
  has_image INTEGER NOT NULL,
  halted_at INTEGER, -- NULL: the guard did not pause it
  created_at INTEGER NOT NULL,
  activated_at INTEGER -- NULL: was never active
) STRICT;

-- A draft that was given up frees its version.
CREATE UNIQUE INDEX releases_by_version ON releases (target_hardware, version)
WHERE status <> 'withdrawn' OR activated_at IS NOT NULL;

CREATE INDEX releases_active ON releases (id) WHERE status = 'active';
`;
