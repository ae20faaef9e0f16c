import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway, generateSecrets } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { createCellsStore } from "@device-gateway/store-cells";
import { openPostgresStore, openPostgresStores } from "@device-gateway/store-postgres";

const secrets = generateSecrets();

/** The schema of the second cell, which moves. */
export const movedSchema = "cell_1";

/** Opens the home and the cells by a map of cells: the URLs of the home, with the first cell, and of the second cell. */
export async function openCells(home: string, moved: string) {
  const [first, kept] = await openPostgresStores({
    ...{ url: home, poolSize: 6 },
    schemas: ["home", "cell_0"],
  });
  if (first === undefined || kept === undefined) throw new Error("There are two stores.");
  const last = await openPostgresStore({ url: moved, schema: movedSchema, poolSize: 4 });
  return createCellsStore({ home: first, cells: [kept, last] });
}

/** A gateway with one map of cells. */
export interface MappedServer {
  readonly listener: RequestListener;
  close(): Promise<void>;
}

export async function openServer(home: string, moved: string): Promise<MappedServer> {
  const store = await openCells(home, moved);
  const gateway = await createGateway({
    ...{ store, secrets, scryptCost: { logN: 4, r: 8, p: 1 } },
    limits: {
      ...{ authPerMinute: 1_000_000, telemetryPerMinute: 1_000_000 },
      metricsPerMinute: 100_000_000,
      ...{ loginsPerMinute: 1_000_000, telemetryBytesPerMinute: 0, unclaimedBytesPerMinute: 0 },
    },
  });
  return {
    listener: toNodeListener(gateway),
    close: () => store.close(),
  };
}

export interface Door {
  readonly url: string;
  close(): void;
}

/** Listens, and gives each request to the server that `choose` returns. */
export async function openDoor(choose: () => RequestListener): Promise<Door> {
  const server = createServer((request, response) => choose()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
