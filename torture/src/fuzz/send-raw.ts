import { connect } from "node:net";
import type { RawShape } from "./raw-shapes.js";

const timeoutMs = 10_000;
const pieceMs = 1;

/** Sends a shape. Returns the statuses of the responses without interim ones, or null if the connection hung. */
export async function sendRaw(
  port: number,
  { pieces, endsEarly, readsLate }: RawShape,
): Promise<readonly number[] | null> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const received: Buffer[] = [];
  const read = () => socket.on("data", (chunk: Buffer) => received.push(chunk));
  if (!readsLate) read();
  // A server may close the connection before everything is sent.
  socket.on("error", () => {});
  const ended = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const end = () => {
      clearTimeout(timer);
      resolve(true);
    };
    socket.once("end", end).once("close", end);
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (pieces.length > 1) await new Promise((resolve) => setTimeout(resolve, pieceMs));
  }
  if (endsEarly) socket.end();
  if (readsLate) {
    await new Promise((resolve) => setTimeout(resolve, pieceMs));
    read();
  }
  const isOver = await ended;
  socket.destroy();
  const text = Buffer.concat(received).toString("latin1");
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return isOver ? statuses.filter((status) => status >= 200) : null;
}
