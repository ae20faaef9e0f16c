import { connect, type Socket } from "node:net";
import type { SeededDevice } from "./seed/seed-fleet.js";

export interface SlowPlan {
  readonly port: number;
  readonly path: string;
  readonly count: number;
  readonly devices: readonly SeededDevice[];
  /** The announced length of each body. */
  readonly bodyBytes: number;
  /** Bytes that each connection sends at a time. */
  readonly pieceBytes: number;
  readonly everyMs: number;
}

/**
 * Opens connections of known devices that send their bodies in small pieces and never finish: before the last
 * piece they break off and start again. At any time equally many are at each stage of a body, so the memory that
 * they occupy in the server stays the same.
 */
export function openSlowConnections(plan: SlowPlan) {
  const { port, path, count, devices, bodyBytes, pieceBytes, everyMs } = plan;
  const stages = Math.ceil(bodyBytes / pieceBytes);
  const piece = Buffer.alloc(pieceBytes, 0x20);
  let reopened = 0;
  let ticks = 0;

  const open = (n: number): Socket => {
    const { token = "" } = devices[n % devices.length] ?? {};
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setNoDelay(true);
    socket.on("data", () => {}).on("error", () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
    );
    return socket;
  };
  const sockets = Array.from({ length: count }, (_, n) => open(n));

  const timer = setInterval(() => {
    ticks += 1;
    for (const [n, socket] of sockets.entries()) {
      const isAtEnd = (ticks + Math.floor((n * stages) / count)) % stages === 0;
      if (!isAtEnd && socket.writable) {
        socket.write(piece);
        continue;
      }
      socket.destroy();
      sockets[n] = open(n);
      reopened += 1;
    }
  }, everyMs);

  return {
    get open() {
      return sockets.filter(({ readyState }) => readyState === "open").length;
    },
    get reopened() {
      return reopened;
    },
    end(): void {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
