import { createReadStream } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Problem } from "@device-gateway/core/contract";
import { reasonOf } from "../../reason-of.js";
import { CliError, exitCodes } from "../command.js";
import { type OperatorApi, toCliError } from "../operator-api.js";
import type { ImageFile } from "./image-file.js";

const silenceMs = 60_000;

function parseProblem(body: string) {
  try {
    return Problem.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

async function judge(answer: IncomingMessage): Promise<void> {
  const body = await text(answer);
  const { statusCode: status = 0 } = answer;
  if (status === 200) return;
  const problem = parseProblem(body);
  if (problem === undefined) {
    throw new CliError(
      `The upload got HTTP ${status}, not from the gateway. Does something in front of it limit uploads?`,
    );
  }
  const { code, detail: message, requestId } = problem;
  throw toCliError({ code, message, status, requestId });
}

/**
 * Sends an image's bytes, of which there are as many as its header says, so that proxies know too.
 * `fetch` can't: it sends streams in chunks, and tells nobody how far it is.
 * @throws {CliError} when it does not arrive, or is not taken.
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
      authorization: `Bearer ${token}`,
      "content-type": "application/octet-stream",
      "content-length": size,
    },
  });
  request.on("timeout", () => request.destroy(new Error("Nothing moved for a minute.")));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
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
  // A refusal may come before the last byte: then the answer counts, not the pipe that broke.
  pipeline(createReadStream(path), count, request).catch(() => {});
  try {
    await judge(await answered);
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    throw new CliError(
      `The upload broke off: ${reasonOf(fault)}. Run the same command again: it goes on with this release.`,
      exitCodes.unavailable,
    );
  } finally {
    request.destroy();
  }
}
