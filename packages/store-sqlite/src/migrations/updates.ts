/** Version 4: the updates of each device, and the tallies of rollouts. */
export const updates = `
ALTER TABLE devices ADD COLUMN ota_channel TEXT NOT NULL DEFAULT 'stable';
ALTER TABLE devices ADD COLUMN pinned_version TEXT;
ALTER TABLE devices ADD COLUMN ota_command TEXT; -- JSON
ALTER TABLE devices ADD COLUMN ota_standing TEXT; -- JSON; NULL: was never offered anything

ALTER TABLE ota_events ADD COLUMN progress INTEGER;
ALTER TABLE ota_events ADD COLUMN message TEXT;

CREATE TABLE device_updates (
  device_id TEXT NOT NULL,
  release_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  from_version TEXT NOT NULL,
  offered_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  attempts TEXT NOT NULL, -- JSON: times
  attempt_served INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  outcome TEXT, -- NULL, as the next one: the guard has not counted it
  outcome_round INTEGER,
  PRIMARY KEY (device_id, release_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_updates_under_way ON device_updates (updated_at)
WHERE state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE INDEX device_updates_at_rest ON device_updates (updated_at)
WHERE NOT state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

-- Kept by the triggers: counting a million rows would hold requests up.
CREATE TABLE device_update_counts (
  release_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (release_id, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_updates_inserted AFTER INSERT ON device_updates BEGIN
  INSERT INTO device_update_counts (release_id, state, count) VALUES (new.release_id, new.state, 1)
  ON CONFLICT (release_id, state) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER device_updates_moved AFTER UPDATE OF state ON device_updates
WHEN old.state <> new.state BEGIN
  UPDATE device_update_counts SET count = count - 1
  WHERE release_id = old.release_id AND state = old.state;
  INSERT INTO device_update_counts (release_id, state, count) VALUES (new.release_id, new.state, 1)
  ON CONFLICT (release_id, state) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER device_updates_deleted AFTER DELETE ON device_updates BEGIN
  UPDATE device_update_counts SET count = count - 1
  WHERE release_id = old.release_id AND state = old.state;
END;

CREATE TABLE rollout_tallies (
  release_id INTEGER NOT NULL PRIMARY KEY,
  round INTEGER NOT NULL, -- counts the halts
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL
) STRICT;
`;
