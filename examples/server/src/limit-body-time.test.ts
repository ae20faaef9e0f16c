import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitBodyTime } from "./limit-body-time.js";

/** What a client sends to a server, and what the server gets of it. */
async function sendTo(listener: RequestListener, text: string) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  socket.write(text);
  const [request, response] = await once(server, "request");
  return { socket, request, response };
}

/** A server that answers at once, or never, and the state of a client that sends half of a body. */
const sendHalf = (path: string, answers: boolean, [bodyMs, afterAnswerMs]: [number, number]) =>
  sendTo((request, response) => {
    limitBodyTime(request, response, { bodyMs, afterAnswerMs });
    if (answers) response.end("early");
  }, `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf`);

const image = "/v1/operator/firmware/releases/7/image";
const never = 1_000_000;

test("§9 a body that takes too long ends its connection", async () => {
  const { socket } = await sendHalf("/v1/telemetry", false, [1, never]);
  await once(socket, "close");
});

test("§9 whoever goes on sending after the answer is cut off, be it an image", async () => {
  for (const path of ["/v1/telemetry", image]) {
    const { socket } = await sendHalf(path, true, [never, 1]);
    await once(socket, "close");
  }
});

test("§9 an image takes as long as it goes on coming", async () => {
  const { socket, request } = await sendHalf(image, false, [1, never]);
  request.resume();
  // The other timer would have come first.
  const { socket: other } = await sendHalf("/v1/telemetry", false, [2, never]);
  await once(other, "close");
  expect(socket.destroyed).toBe(false);
  socket.write("the rest");
  await once(request, "end");
});

test("§6 §7 an answer to a whole request takes as long as it goes on being sent", async () => {
  const { response } = await sendTo((request, answer) => {
    limitBodyTime(request, answer, { bodyMs: 1, afterAnswerMs: never });
    answer.write("first");
  }, "GET /v1/firmware/7 HTTP/1.1\r\nHost: x\r\n\r\n");
  // Its timer, if there were one, would have come first.
  const { socket: other } = await sendHalf("/v1/telemetry", false, [2, never]);
  await once(other, "close");
  expect(response.destroyed).toBe(false);
  response.end();
  await once(response, "close");
  expect(response.writableFinished).toBe(true);
});
