import { cellOf } from "@device-gateway/store-cells";
import { inject, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { customerSettings } from "./customer.js";
import { makeTempFolder } from "./start-test-server.js";

const count = 3;

/** Returns a device of each cell. */
const findDevices = (): readonly string[] =>
  Array.from({ length: count }, (_, cell) => {
    for (let n = 0; ; n++) if (cellOf(`gw-${n}`, count) === cell) return `gw-${n}`;
  });

/** Two empty databases: one for the home and cell 0, and one for the cells 1 and 2. */
export interface CellDatabases {
  readonly home: string;
  readonly other: string;
  /** A device of each cell. */
  readonly devices: readonly string[];
  /** The settings of a server with these cells, and with customers of an issuer. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates two databases for three cells. They end with the test. */
export async function createCellDatabases(): Promise<CellDatabases> {
  const [home, other] = await Promise.all([
    createTemporaryDatabase(inject("postgresUrl")),
    createTemporaryDatabase(inject("postgresUrl")),
  ]);
  onTestFinished(async () => void (await Promise.all([home.remove(), other.remove()])));
  return {
    ...{ home: home.url, other: other.url, devices: findDevices() },
    environment: {
      ...{ ...customerSettings, ACCOUNTS: "0", DATA_DIR: await makeTempFolder() },
      DATABASE_URL: home.url,
      DATABASE_CELLS: String(count),
      DATABASE_CELL_URLS: `1-2=${other.url}`,
    },
  };
}
