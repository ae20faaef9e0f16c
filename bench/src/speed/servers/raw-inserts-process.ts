import { bodyOf, linesOf, type RequestFiles } from "../fleet-requests.js";
import type { StorePlace } from "../store/store-place.js";
import { answerQuestions } from "./answer-questions.js";
import { openRawTable, type RawRow } from "./raw-table.js";
import { cpuUs } from "./serve.js";

// No HTTP and no checks: parses the bytes that the others receive, and inserts the same rows.
const { place, files } = JSON.parse(process.argv[2] ?? "") as {
  place: StorePlace;
  files: RequestFiles;
};
/** As many requests per commit as the store takes at once: 1,000 records. */
const requestsPerCommit = 10;

const table = await openRawTable(place);
const devices = linesOf(files.devices).map((line) => line.split(" ")[0] as string);
const bodies = linesOf(files.bodies).map((line) => Buffer.from(line));
let n = 0;

function nextBatch(): RawRow[] {
  const deviceId = devices[n % devices.length] as string;
  const bytes = bodies[bodyOf(n++, devices.length, bodies.length)] as Buffer;
  const { records } = JSON.parse(bytes.toString()) as { records: { timestamp: number }[] };
  const receivedAt = Date.now();
  return records.map((record) => ({
    deviceId,
    at: record.timestamp,
    receivedAt,
    body: JSON.stringify(record),
  }));
}

answerQuestions({
  usage: () => ({ cpuUs: cpuUs(), answered: { 200: n } }),
  run: async (seconds) => {
    const start = performance.now();
    const before = n;
    while (performance.now() - start < (seconds as number) * 1_000) {
      await table.commit(Array.from({ length: requestsPerCommit }, nextBatch));
    }
    return { requests: n - before, seconds: (performance.now() - start) / 1_000 };
  },
  records: () => table.count(),
});
process.send?.({ port: 0 });
