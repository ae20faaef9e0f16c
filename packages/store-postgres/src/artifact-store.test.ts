import { describeArtifactConformance } from "@device-gateway/core/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openPostgresStore } from "./open-postgres-store.js";
import { type DatabaseLane, openDatabaseLane } from "./testing/database-lane.js";

let lane: DatabaseLane;
beforeAll(async () => {
  lane = await openDatabaseLane(inject("postgresUrl"));
});
afterAll(() => lane.remove());

describeArtifactConformance("Postgres", {
  async open() {
    await lane.empty();
    const open = () => openPostgresStore({ url: lane.url, poolSize: 3 });
    const [a, b] = [await open(), await open()];
    return {
      handles: [a.artifacts, b.artifacts],
      dispose: async () => {
        await a.close();
        await b.close();
      },
    };
  },
});
