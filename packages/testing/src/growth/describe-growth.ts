import { describe, expect, test } from "vitest";
import { deviceGrowthCases } from "./device-growth-cases.js";
import { type GrowthSetup, measureGrowth } from "./measure-growth.js";
import { ownerGrowthCases } from "./owner-growth-cases.js";
import { telemetryGrowthCases } from "./telemetry-growth-cases.js";

const allAttacks = [...telemetryGrowthCases, ...deviceGrowthCases, ...ownerGrowthCases];
const runsAll = Boolean(process.env["GROWTH"]);

/**
 * A store may grow by four times the bytes that were sent, and by 1 KB for each request. Each table and index may have
 * partly filled pages; how many depends on how the requests share transactions, and so on the load of the machine.
 */
const allowed = { perByte: 4, perRequest: 1_024, partlyFilledPages: 131_072 };

/**
 * Declares Vitest tests that attack a store and check that it does not grow by much more than was sent. By default only
 * the attacks that come closest to the bound run. `GROWTH=1 npm test -- disk-growth` runs all and prints each measurement.
 *
 * @example
 * describeGrowth("my store", { openStore, bytesOnDisk: async () => (await stat(file)).size });
 */
export function describeGrowth(name: string, setup: GrowthSetup): void {
  describe(`growth: ${name}`, () => {
    for (const attack of allAttacks.filter(({ runsAlways }) => runsAll || runsAlways)) {
      test(attack.name, async () => {
        const { sentBytes, requests, refused, storedBytes } = await measureGrowth(setup, attack);
        const bound =
          allowed.perByte * sentBytes + allowed.perRequest * requests + allowed.partlyFilledPages;
        if (runsAll) {
          console.log(
            `GROWTH ${name} | ${attack.name} | ${requests} requests, ${refused} refused | sent ${sentBytes} | stored ${storedBytes} | ${(storedBytes / sentBytes).toFixed(2)}x | of bound ${(storedBytes / bound).toFixed(2)}`,
          );
        }
        expect(storedBytes).toBeLessThanOrEqual(bound);
      });
    }
  });
}
