import { createReadStream } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ClientError } from "../../client-error.js";
import { readAnswer } from "../../read-answer.js";
import { reasonOf } from "../../reason-of.js";
import { isTransient } from "../../retry.js";
import { wireTable } from "../../wire-table.js";
import { CliError, exitCodes } from "../command.js";
import { type OperatorApi, toCliError } from "../operator-api.js";
import type { ImageFile } from "./image-file.js";

const silenceMs = 60_000;

/** Returns what to do after an upload failed, or an empty text. */
function adviceFor(error: ClientError): string {
  if (isTransient(error)) return " Run the same command again.";
  if (error.code !== "unexpected_answer") return "";
  return error.status === 413
    ? " Raise the limit for uploads of the proxy in front of it."
    : " Check --url and the proxies in front of the gateway.";
}

/** @throws {CliError} unless the gateway has stored the image. */
async function checkResponse(answer: IncomingMessage): Promise<void> {
  const { statusCode: status = 0 } = answer;
  const after = answer.headers["retry-after"];
  const headers = new Headers(after === undefined ? {} : { "retry-after": after });
  const body = await text(answer);
  const read = readAnswer(wireTable.uploadReleaseImage, { status, headers }, body, Date.now());
  if (read.kind === "value") return;
  const { error } = read;
  const what =
    error.code === "unexpected_answer"
      ? `The upload failed with HTTP ${status}, which is not from the gateway.`
      : error.message;
  throw toCliError({ ...error, message: what + adviceFor(error) });
}

/**
 * Uploads an image with a Content-Length, which some proxies need. It does not use `fetch`, which sends
 * streams in chunks and reports no progress.
 * @throws {CliError} if the upload breaks off or the server rejects it.
 */
export async function uploadImage(
  { apiUrl, token }: OperatorApi,
  releaseId: number,
  { path, size }: ImageFile,
  progress: (bytes: number) => void,
): Promise<void> {
  const url = new URL(`${apiUrl}/operator/firmware/releases/${releaseId}/image`);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    method: "PUT",
    timeout: silenceMs,
    headers: {
      authorization: `Bearer ${token.trimEnd()}`,
      "content-type": "application/octet-stream",
      "content-length": size,
    },
  });
  request.on("timeout", () => request.destroy(new Error("No data was sent for a minute")));
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  let sent = 0;
  const count = new Transform({
    transform(piece: Buffer, _, done) {
      sent += piece.length;
      progress(sent);
      done(null, piece);
    },
  });
  // The server may reject the upload before the last byte. Then its response counts, not the broken pipe.
  pipeline(createReadStream(path), count, request).catch(() => {});
  try {
    await checkResponse(await responded);
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    throw new CliError(
      `The upload broke off: ${reasonOf(fault)}. Run the same command again. It continues with this release.`,
      exitCodes.unavailable,
    );
  } finally {
    request.destroy();
  }
}
