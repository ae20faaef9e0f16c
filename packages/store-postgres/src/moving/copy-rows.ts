import type { Socket } from "node:net";
import { type Client, Query } from "pg";

/** The part of pg's connection that COPY needs. */
interface CopyConnection {
  readonly stream: Socket;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** Rows are sent in pieces of this size, because each piece is a write to the socket. In bytes. */
const pieceBytes = 65_536;

/** A COPY that pg does not know. pg calls the methods that a query has. */
class Copy extends Query {
  readonly ended = new Promise<void>((resolve, reject) => {
    this.once("end", () => resolve());
    this.once("error", reject);
  });
  onReady: ((connection: CopyConnection) => void) | undefined;
  onData: ((chunk: Buffer, connection: CopyConnection) => void) | undefined;

  handleCopyInResponse(connection: CopyConnection): void {
    this.onReady?.(connection);
  }
  handleCopyData({ chunk }: { readonly chunk: Buffer }, connection: CopyConnection): void {
    this.onData?.(chunk, connection);
  }
}

/** Collects small chunks and sends them as pieces. Pauses the source while the target does not keep up. */
function createPieces(target: CopyConnection) {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let used = 0;
  let bytes = 0;
  const flush = () => {
    if (used === 0) return;
    target.sendCopyFromChunk(piece.subarray(0, used));
    bytes += used;
    // The socket may still hold the former piece.
    piece = Buffer.allocUnsafe(pieceBytes);
    used = 0;
  };
  return {
    // pg reuses the memory of a chunk, so it is copied at once.
    add(chunk: Buffer, source: CopyConnection) {
      for (let start = 0; start < chunk.length; ) {
        const taken = chunk.copy(piece, used, start);
        used += taken;
        start += taken;
        if (used === pieceBytes) flush();
      }
      if (!target.stream.writableNeedDrain || source.stream.isPaused()) return;
      source.stream.pause();
      const resume = () => {
        target.stream.off("drain", resume).off("close", resume);
        source.stream.resume();
      };
      target.stream.on("drain", resume).on("close", resume);
    },
    end() {
      flush();
      target.endCopyFrom();
      return bytes;
    },
  };
}

/**
 * Streams the result of `COPY … TO STDOUT` of one connection into `COPY … FROM STDIN` of another one. Returns the number
 * of bytes. If it rejects, end the source's connection. The target's accepts further statements if it still works.
 */
export async function copyRows(
  source: Client,
  from: string,
  target: Client,
  to: string,
): Promise<number> {
  const copyIn = new Copy(to);
  const connection = await new Promise<CopyConnection>((resolve, reject) => {
    copyIn.onReady = resolve;
    copyIn.ended.catch(reject);
    target.query(copyIn);
  });
  const pieces = createPieces(connection);
  const copyOut = new Copy(from);
  copyOut.onData = pieces.add;
  source.query(copyOut);
  try {
    await Promise.race([copyOut.ended, copyIn.ended]);
  } catch (error) {
    copyOut.ended.catch(() => {});
    // Otherwise the target waits for further rows, and its next statement, such as ROLLBACK, waits behind them.
    connection.sendCopyFail("The copy was interrupted.");
    await copyIn.ended.catch(() => {});
    throw error;
  }
  const bytes = pieces.end();
  await copyIn.ended;
  return bytes;
}
