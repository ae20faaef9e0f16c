import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

/** A request with lines. */
export interface ReceivedWrite {
  readonly lines: readonly string[];
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

export interface FakeReceiver {
  readonly url: string;
  readonly writes: readonly ReceivedWrite[];
  /** All lines with a metric, in the order in which they arrived. */
  lines(): string[];
  /** Decides on the status of the following requests. Default: 204. Null: no answer. */
  answer(decide: (lines: readonly string[]) => number | null): void;
  /** Returns how many connections were made. */
  connections(): number;
  /** Ends all connections, as a crash does. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Starts a receiver of line protocol that keeps what it gets. */
export async function startFakeReceiver(): Promise<FakeReceiver> {
  const writes: ReceivedWrite[] = [];
  let decide: (lines: readonly string[]) => number | null = () => 204;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const lines = gunzipSync(body).toString().split("\n");
      writes.push({ lines, path: request.url ?? "", headers: request.headers });
      const status = decide(lines);
      if (status === null) return;
      response.statusCode = status;
      response.end(status < 300 ? undefined : `{"error":"planted ${status}"}`);
    });
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/write`,
    writes,
    lines: () =>
      writes.flatMap(({ lines }) => lines).filter((line) => line.startsWith("telemetry,")),
    answer(next) {
      decide = next;
    },
    connections: () => connections,
    disconnect: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
