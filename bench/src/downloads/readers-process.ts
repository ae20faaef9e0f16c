/**
 * Slow devices that download an image: they read between the lines `start` and `stop` on stdin. Prints the total
 * number of bytes at each stop. The argument is JSON: `{port, releaseId, tokens, bytesPerSecond}`.
 */
import { get } from "node:http";
import { createInterface } from "node:readline";

interface Task {
  readonly port: number;
  readonly releaseId: number;
  readonly tokens: readonly string[];
  readonly bytesPerSecond: number;
}

const { port, releaseId, tokens, bytesPerSecond } = JSON.parse(process.argv[2] ?? "") as Task;
const stepMs = 100;
const stepBytes = Math.ceil((bytesPerSecond * stepMs) / 1_000);

let bytes = 0;
let reading = false;

/** Opens a download and reads it while `reading` is true. */
function startDevice(token: string): void {
  const headers = { authorization: `Bearer ${token}` };
  const path = `/api/v1/ota/firmware/${releaseId}`;
  const request = get({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
    if (response.statusCode !== 200)
      throw new Error(`A download was answered with ${response.statusCode}.`);
    response.on("end", () => {
      throw new Error("The image is too small for this many repeats. Raise imageBytes.");
    });
    // Only the timer reads, so the socket fills up as it does for a slow device.
    setInterval(() => {
      if (!reading) return;
      const chunk = (response.read(stepBytes) ?? response.read()) as Buffer | null;
      bytes += chunk?.length ?? 0;
    }, stepMs);
  });
  request.on("error", (error) => {
    throw error;
  });
}

for (const token of tokens) startDevice(token);

for await (const line of createInterface({ input: process.stdin })) {
  reading = line === "start";
  if (!reading) console.log(String(bytes));
}
