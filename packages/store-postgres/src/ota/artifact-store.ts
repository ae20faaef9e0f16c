import { createHash, randomUUID } from "node:crypto";
import type {
  ArtifactFacts,
  ArtifactStore,
  Logger,
  WriteArtifactOutcome,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";
import { clearLeftovers, isRunning } from "./artifact-leftovers.js";

/**
 * Bytes per row. A download holds one row in memory, and progress of a slow client shows row by
 * row.
 */
const pieceBytes = 64 * 1024;

interface Piece {
  readonly upload: string;
  readonly start: number;
  readonly content: Uint8Array;
}

const begin = statement<{ upload: string }, object>(
  "INSERT INTO device_gateway.artifact_uploads (upload, last_piece_at) VALUES (@upload, now())",
);
const addPiece = statement<Piece, object>(
  `WITH going_on AS (
     UPDATE device_gateway.artifact_uploads SET last_piece_at = now()
     WHERE ${isRunning} RETURNING upload
   )
   INSERT INTO device_gateway.artifact_pieces (upload, start, content)
   SELECT upload, @start::bigint, @content::bytea FROM going_on RETURNING start`,
);
const lockUpload = statement<{ upload: string }, object>(
  `SELECT FROM device_gateway.artifact_uploads WHERE ${isRunning} FOR UPDATE`,
);
const nameImage = statement<{ upload: string; sha256: string; size: number }, object>(
  `INSERT INTO device_gateway.artifacts (sha256, size, upload)
   VALUES (@sha256, @size, @upload::uuid) ON CONFLICT (sha256) DO NOTHING RETURNING upload`,
);
const end = statement<{ upload: string }, object>(
  "DELETE FROM device_gateway.artifact_uploads WHERE upload = @upload::uuid",
);
const find = statement<{ sha256: string }, { size: number; upload: string }>(
  "SELECT size, upload FROM device_gateway.artifacts WHERE sha256 = @sha256",
);
/** Returns the bytes of a piece from `at` on, at most `length`: a range may need only a few of them. */
const findPiece = statement<
  { upload: string; at: number; length: number },
  { content: Uint8Array }
>(
  `SELECT substring(content FROM (@at::bigint - start)::int + 1 FOR @length::int) AS content
   FROM device_gateway.artifact_pieces
   WHERE upload = @upload::uuid AND start <= @at ORDER BY start DESC LIMIT 1`,
);

const abandoned =
  "The upload was abandoned: no data arrived for ten minutes. Upload the image again.";

/**
 * Creates the store of firmware images. An image is stored as rows of pieces, so any process can
 * serve it.
 */
export function createArtifactStore(
  connection: Connection,
  logger: Logger | undefined,
): ArtifactStore {
  const { read, change, write } = connection;

  async function writePieces(
    upload: string,
    { sha256, size }: ArtifactFacts,
    content: AsyncIterable<Uint8Array>,
  ): Promise<WriteArtifactOutcome> {
    const hash = createHash("sha256");
    let length = 0;
    for await (const piece of inPieces(content, size)) {
      if (length + piece.length > size) return { kind: "mismatch", reason: "size" };
      hash.update(piece);
      const added = await change((session) =>
        addPiece(session, { upload, start: length, content: piece }),
      );
      if (added.length === 0) throw new Error(abandoned);
      length += piece.length;
    }
    if (length !== size) return { kind: "mismatch", reason: "size" };
    return hash.digest("hex") === sha256
      ? { kind: "stored" }
      : { kind: "mismatch", reason: "sha256" };
  }

  /** Turns the upload into an image, unless another upload of the same image was faster. */
  const finish = (upload: string, { sha256, size }: ArtifactFacts) =>
    write(async (session) => {
      if ((await lockUpload(session, { upload })).length === 0) throw new Error(abandoned);
      const named = await nameImage(session, { upload, sha256, size });
      if (named.length > 0) await end(session, { upload });
    });

  return {
    async write({ expected, content }) {
      const upload = randomUUID();
      await change((session) => begin(session, { upload }));
      try {
        const outcome = await writePieces(upload, expected, content);
        if (outcome.kind === "stored") await finish(upload, expected);
        return outcome;
      } finally {
        await clearLeftovers(connection, upload).catch((error: unknown) =>
          logger?.warn({ err: error }, "Could not delete an upload's pieces; trying again later"),
        );
      }
    },

    async open({ sha256, start, end }) {
      const [image] = await read((session) => find(session, { sha256 }));
      if (image === undefined) return null;
      const { size, upload } = image;
      if (end > size) throw new Error(`The image ${sha256} has ${size} bytes, not ${end}.`);
      return readPieces(connection, upload, start, end);
    },
  };
}

/**
 * Splits content into pieces of `pieceBytes`; the last may be shorter. Stops when the content
 * exceeds `size`.
 */
async function* inPieces(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(pieceBytes);
  let filled = 0;
  let received = 0;
  for await (let part of content) {
    received += part.length;
    while (part.length > 0) {
      const taken = part.subarray(0, pieceBytes - filled);
      piece.set(taken, filled);
      filled += taken.length;
      part = part.subarray(taken.length);
      if (filled < pieceBytes) continue;
      yield piece.slice();
      filled = 0;
    }
    if (received > size) break;
  }
  if (filled > 0) yield piece.slice(0, filled);
}

/** Reads one piece at a time, on demand: a stream that nobody reads holds no connection. */
async function* readPieces(
  { read }: Connection,
  upload: string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const length = Math.min(end - at, pieceBytes);
    const [piece] = await read((session) => findPiece(session, { upload, at, length }));
    if (piece === undefined) throw new Error(`A piece of the upload ${upload} is missing.`);
    const { content } = piece;
    if (content.length === 0) throw new Error(`The upload ${upload} ends too early.`);
    yield content;
    at += content.length;
  }
}
