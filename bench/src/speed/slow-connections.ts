import { connect, type Socket } from "node:net";
import type { SeededDevice } from "./seed-fleet.js";

export interface SlowPlan {
  readonly port: number;
  readonly path: string;
  readonly count: number;
  readonly devices: readonly SeededDevice[];
  /** As each of them says that its body is. */
  readonly bodyBytes: number;
  /** Bytes that each sends at a time, and how often. */
  readonly pieceBytes: number;
  readonly everyMs: number;
}

/**
 * Connections of known devices that send their bodies in small pieces and never get to the end; one
 * that the server ends is opened anew.
 */
export function openSlowConnections(plan: SlowPlan) {
  const { port, path, count, devices, bodyBytes, pieceBytes, everyMs } = plan;
  const sockets = new Map<Socket, number>();
  const piece = Buffer.alloc(pieceBytes, 0x20);
  let isOver = false;
  let reopened = 0;

  const open = (n: number, bytes = bodyBytes): void => {
    const { token = "" } = devices[n % devices.length] ?? {};
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setNoDelay(true);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    sockets.set(socket, bytes);
    socket.on("data", () => {}).on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (isOver) return;
      reopened += 1;
      setTimeout(() => open(n), everyMs);
    });
  };
  // The first bodies are of all lengths, so that from then on some end at any time.
  for (let n = 0; n < count; n++) open(n, Math.ceil((bodyBytes * (n + 1)) / count));

  const timer = setInterval(() => {
    for (const [socket, left] of sockets) {
      if (!socket.writable) continue;
      // The last byte never comes.
      if (left <= pieceBytes) {
        socket.destroy();
        continue;
      }
      socket.write(piece);
      sockets.set(socket, left - pieceBytes);
    }
  }, everyMs);

  return {
    get open() {
      return sockets.size;
    },
    get reopened() {
      return reopened;
    },
    end(): void {
      isOver = true;
      clearInterval(timer);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
