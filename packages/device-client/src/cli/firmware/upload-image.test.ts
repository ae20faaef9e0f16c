import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listen } from "../../testing/serve-gateway.js";
import { makeTempFolder } from "../../testing/temp-folder.js";
import { CliError } from "../command.js";
import type { OperatorApi } from "../operator-api.js";
import { uploadImage } from "./upload-image.js";

/** Uploads an image to a server that responds with this. Returns the error. */
async function upload(status: number, body: string, headers: Record<string, string> = {}) {
  const url = await listen((request, response) => {
    request.resume().on("end", () => void response.writeHead(status, headers).end(body));
  });
  const path = join(await makeTempFolder(), "app.bin");
  await writeFile(path, "image");
  const api = { apiUrl: `${url}/api/v1`, token: "t" } as OperatorApi;
  const image = { path, size: 5, sha256: "", description: null };
  const fault: unknown = await uploadImage(api, 1, image, () => {}).catch(
    (error: unknown) => error,
  );
  if (!(fault instanceof CliError)) return fault;
  return { exitCode: fault.exitCode, message: fault.message };
}

const page = "<h1>Bad gateway</h1>";
const problem = (code: string, status: number) =>
  JSON.stringify({ code, status, detail: "The server says why.", requestId: "r1" });

test.each([429, 502, 503, 504])(
  "§8 an upload that a proxy answers with %i may be repeated",
  async (status) => {
    expect(await upload(status, page, { "retry-after": "7" })).toEqual({
      exitCode: 3,
      message: `The upload failed with HTTP ${status}, which is not from the gateway. Run the same command again.\nTry again in 7 s.`,
    });
  },
);

test("§8 an upload to a server that is busy may be repeated after its Retry-After", async () => {
  const busy = problem("unavailable", 503);
  expect(await upload(503, busy, { "retry-after": "7" })).toEqual({
    exitCode: 3,
    message:
      "The server says why. Run the same command again.\nTry again in 7 s.\n(unavailable, request r1)",
  });
});

test("§8 only a 413 of a proxy is a matter of its limit", async () => {
  expect(await upload(413, page)).toEqual({
    exitCode: 1,
    message:
      "The upload failed with HTTP 413, which is not from the gateway. Raise the limit for uploads of the proxy in front of it.",
  });
  for (const status of [200, 302, 403]) {
    expect(await upload(status, page)).toEqual({
      exitCode: 1,
      message: `The upload failed with HTTP ${status}, which is not from the gateway. Check --url and the proxies in front of the gateway.`,
    });
  }
});

test("§8 an upload that the gateway rejects shows its reason", async () => {
  expect(await upload(422, problem("image_mismatch", 422))).toEqual({
    exitCode: 1,
    message: "The server says why.\n(image_mismatch, request r1)",
  });
  expect(await upload(200, '{"release":{}}')).toBeUndefined();
});
