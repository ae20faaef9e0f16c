/**
 * Version 25: marks of OTA events and alerts that nobody can reach any more and that are still to be deleted. Their device
 * was erased, or the owner of the alerts released it.
 */
export const erasedRows = `
CREATE TABLE device_gateway.ota_events_erased (
  device_id text COLLATE "C" PRIMARY KEY,
  up_to bigint NOT NULL -- ota_events.id
);

CREATE TABLE device_gateway.alerts_erased (
  device_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C" NOT NULL, -- empty: the alerts of all owners and of the operators
  up_to bigint NOT NULL, -- alerts.fired_at
  PRIMARY KEY (device_id, owner_id)
);
`;
