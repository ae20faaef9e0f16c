import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { bodyOf, type RequestFiles } from "../fleet-requests.js";
import { answerQuestions, cpuUs } from "./serve.js";

// No HTTP, no checks: parses the bytes that the others are sent, and inserts the same rows.
const { file, files } = JSON.parse(process.argv[2] ?? "") as { file: string; files: RequestFiles };
/** As many requests in a commit as the store takes at once: 1,000 records. */
const requestsPerCommit = 10;

const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
  CREATE TABLE telemetry (
    position INTEGER PRIMARY KEY,
    device_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX telemetry_by_device ON telemetry (device_id, at);
`);
const insert = database.prepare<[string, number, number, string]>(
  "INSERT INTO telemetry (device_id, at, received_at, body) VALUES (?, ?, ?, ?)",
);

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
const devices = linesOf(files.devices).map((line) => line.split(" ")[0] as string);
const bodies = linesOf(files.bodies).map((line) => Buffer.from(line));
let n = 0;

const commit = database.transaction(() => {
  for (let i = 0; i < requestsPerCommit; i++, n++) {
    const deviceId = devices[n % devices.length] as string;
    const bytes = bodies[bodyOf(n, devices.length, bodies.length)] as Buffer;
    const { records } = JSON.parse(bytes.toString()) as { records: { timestamp: number }[] };
    const now = Date.now();
    for (const record of records) {
      insert.run(deviceId, record.timestamp, now, JSON.stringify(record));
    }
  }
});

answerQuestions({
  usage: () => ({ cpuUs: cpuUs(), answered: { 200: n } }),
  run: (seconds) => {
    const start = performance.now();
    const before = n;
    while (performance.now() - start < (seconds as number) * 1_000) commit();
    return { requests: n - before, seconds: (performance.now() - start) / 1_000 };
  },
  records: () => database.prepare("SELECT count(*) FROM telemetry").pluck().get(),
});
process.send?.({ port: 0 });
