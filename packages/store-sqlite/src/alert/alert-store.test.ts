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

it("a list passes over very many erased alerts in several turns of the event loop", async () => {
  const connection = await openConnection(":memory:");
  connection.database.exec(
    `INSERT INTO alerts (id, rule_id, owner_id, subject, device_id, fired_at, cleared_at, details)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
     SELECT device || n, 'rule', 'ann', device, device, n, n, '{}'
     FROM numbers JOIN (SELECT 'gw-1' AS device UNION ALL SELECT 'gw-2')
       ON device = 'gw-1' OR n IN (1, 2, 1900);
     INSERT INTO alerts_erased VALUES ('gw-1', 'ann', 1999)`,
  );
  const alerts = createAlertStore(connection);
  const list = (limit: number) =>
    alerts.list({ ownerId: "ann", deviceId: null, firing: false, before: null, limit });
  const { outcome, turns } = await countTurns(() => list(4));
  expect(outcome.map(({ deviceId, firedAt }) => [deviceId, firedAt])).toEqual([
    ["gw-1", 2_000],
    ...[1_900, 2, 1].map((firedAt) => ["gw-2", firedAt]),
  ]);
  expect(turns).toBeGreaterThanOrEqual(4);
  expect((await list(2)).map(({ firedAt }) => firedAt)).toEqual([2_000, 1_900]);
  await connection.close();
});
