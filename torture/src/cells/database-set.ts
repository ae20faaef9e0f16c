import { type GatewayStore, silentLogger } from "@device-gateway/core";
import { cellOf } from "@device-gateway/store-cells";
import { openCells } from "../../../examples/server/src/data/open-cells.js";
import {
  type PostgresServer,
  startPostgresServer,
} from "../../../packages/store-postgres/src/testing/postgres-server.js";

/** Postgres servers over which cells are spread in turn. The first one also has the home. */
export interface DatabaseSet {
  readonly servers: readonly PostgresServer[];
  /** The settings of the bundled server. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the number of the server with the cell of a device. */
  serverOf(deviceId: string): number;
  openStore(): Promise<GatewayStore>;
  stop(): Promise<void>;
}

export async function startDatabases(count: number, cells: number): Promise<DatabaseSet> {
  const servers: PostgresServer[] = [];
  for (let n = 0; n < count; n++) servers.push(await startPostgresServer());
  const urls = servers.map(({ url }) => url);
  const [url = ""] = urls;
  const cellUrls = new Map(
    Array.from({ length: cells }, (_, cell): [number, string] => [cell, urls[cell % count] ?? url]),
  );
  return {
    servers,
    environment: {
      DATABASE_URL: url,
      DATABASE_CELLS: String(cells),
      DATABASE_CELL_URLS: [...cellUrls].map(([cell, of]) => `${cell}=${of}`).join(" "),
    },
    serverOf: (deviceId) => cellOf(deviceId, cells) % count,
    async openStore() {
      const options = { poolSize: 4, logger: silentLogger };
      return (await openCells({ url, count: cells, cellUrls }, options)).store;
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
