import { onNode } from "@device-gateway/core/node";
import { createCellsStore } from "@device-gateway/store-cells";
import { createMemoryStore } from "@device-gateway/store-memory";
import { describeWire, openWireWorld, type WireSetup } from "@device-gateway/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import {
  openSharedStores,
  type SharedStores,
} from "../../store-sqlite/src/testing/shared-stores.js";
import { conventionCases } from "../../testing/src/wire/convention-cases.js";
import { deviceCases } from "../../testing/src/wire/device/device-cases.js";
import { faultCases } from "../../testing/src/wire/fault-cases.js";
import { downloadCases } from "../../testing/src/wire/ota/download-cases.js";
import { sessionCases } from "../../testing/src/wire/session-cases.js";
import { exportCases } from "../../testing/src/wire/telemetry/export-cases.js";
import { telemetryCases } from "../../testing/src/wire/telemetry/telemetry-cases.js";
import { waitingCommandCases } from "../../testing/src/wire/waiting-command-cases.js";
import { databaseTransport, transports } from "./testing/wire-transports.js";

const overMemory = (serve: WireSetup["serve"]): WireSetup => ({
  serve,
  options: onNode,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
});

const { "Express 4": inExpress4, ...others } = transports;
for (const [name, serve] of Object.entries(others)) {
  describeWire(`${name} × memory`, overMemory(serve));
}

// Express 4 has the handler of Express 5. So only the cases about HTTP run over it, and one case of each other subject
// with requests or responses of its own kind.
const otherSubjects = [
  deviceCases,
  telemetryCases,
  exportCases,
  downloadCases,
  waitingCommandCases,
  sessionCases,
  faultCases,
];
if (allTests) describeWire("Express 4 × memory", overMemory(inExpress4));
else {
  describe("wire: Express 4 × memory", () => {
    const cases = [...conventionCases, ...otherSubjects.flatMap((some) => some.slice(0, 1))];
    test.each(cases)("$name", async ({ options, webhooks, run }) => {
      const world = await openWireWorld(overMemory(inExpress4), options, webhooks);
      try {
        await run(world);
      } finally {
        await world.close();
      }
    });
  });
}

// In process, the suite runs over the portable functions. The test of the client runs it in process over memory.
describeWire("in process × a home and three cells", {
  serve: databaseTransport,
  openStore: async () => {
    const [home, ...cells] = [0, 1, 2, 3].map(() => createMemoryStore());
    if (home === undefined) throw new Error("There is no home.");
    const store = createCellsStore({ home, cells });
    return { store, dispose: () => store.close() };
  },
});

let shared: SharedStores;
beforeAll(async () => {
  shared = await openSharedStores(1);
});
afterAll(() => shared.remove());

describeWire("in process × SQLite", {
  serve: databaseTransport,
  options: onNode,
  openStore: async () => {
    const [store] = await shared.open();
    if (store === undefined) throw new Error("The file has no store.");
    return { store, dispose: async () => {} };
  },
});
