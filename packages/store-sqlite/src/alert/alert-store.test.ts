import { sampleTime } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openConnection } from "../database/connection.js";
import { countTurns } from "../testing/count-turns.js";
import { createAlertStore } from "./alert-store.js";

it("the firing alerts of many devices are read in several turns of the event loop", async () => {
  const connection = await openConnection(":memory:");
  const insert = connection.database.prepare<[string, string, string, string, number]>(
    `INSERT INTO alerts (id, rule_id, subject, device_id, fired_at, details)
     VALUES (?, ?, ?, ?, ?, '{}')`,
  );
  const devices = Array.from({ length: 200 }, (_, n) => `gw-${n}`);
  await connection.write(() => {
    for (const id of devices) {
      for (const rule of ["a", "b"]) insert.run(`${rule}-${id}`, rule, id, id, sampleTime);
    }
  });
  const alerts = createAlertStore(connection);
  const { outcome, turns } = await countTurns(() => alerts.firing(devices));
  expect(outcome.map(({ id }) => id)).toEqual(
    ["a", "b"].flatMap((rule) => devices.map((id) => `${rule}-${id}`)).sort(),
  );
  expect(turns).toBeGreaterThanOrEqual(24);
  await connection.close();
});
