/**
 * One of several claiming processes. Opens the storage in the first argument. For each line
 * `{deviceId, owners, now}`, all owners claim at once; the answer lists each owner's outcome.
 */
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { claimAtPort } from "./race.js";

const store = await storageOfPlace(process.argv[2] ?? "").open();
await answerLines(async (line) => {
  const { deviceId, owners, now } = JSON.parse(line) as {
    deviceId: string;
    owners: string[];
    now: number;
  };
  const outcomes = await Promise.all(
    owners.map(async (owner): Promise<[string, string]> => {
      return [owner, await claimAtPort(store, deviceId, owner, now)];
    }),
  );
  return JSON.stringify(outcomes);
});
await store.close();
