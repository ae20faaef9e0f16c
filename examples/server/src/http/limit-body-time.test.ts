import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitBodyTime } from "./limit-body-time.js";

/** Sends text to a server with this listener. Returns the client's socket and the server's request and response. */
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

/** Sends half of a body to a server that responds at once or never. */
const sendHalf = (path: string, responds: boolean, [bodyMs, afterResponseMs]: [number, number]) =>
  sendTo((request, response) => {
    limitBodyTime(request, response, { bodyMs, afterResponseMs });
    if (responds) response.end("early");
  }, `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf`);

const image = "/v1/operator/firmware/releases/7/image";
const never = 1_000_000;

test("§9 a body that takes too long ends its connection", async () => {
  // The accounts take no images, whatever the rest of the path is.
  for (const path of ["/v1/telemetry", `/api/auth${image.slice("/v1".length)}`]) {
    const { socket } = await sendHalf(path, false, [1, never]);
    await once(socket, "close");
  }
});

test("§9 a client that keeps sending after the response is cut off, even if it sends an image", async () => {
  for (const path of ["/v1/telemetry", image]) {
    const { socket } = await sendHalf(path, true, [never, 1]);
    await once(socket, "close");
  }
});

test("§9 an image upload has no total time limit", async () => {
  for (const path of [image, `http://x${image}`]) {
    const { socket, request } = await sendHalf(path, false, [1, never]);
    request.resume();
    // A timer of the image would have expired before this one.
    const { socket: other } = await sendHalf("/v1/telemetry", false, [2, never]);
    await once(other, "close");
    expect(socket.destroyed).toBe(false);
    socket.write("the rest");
    await once(request, "end");
  }
});

test("§6 §7 the response to a complete request has no time limit", async () => {
  const { response } = await sendTo((request, serverResponse) => {
    limitBodyTime(request, serverResponse, { bodyMs: 1, afterResponseMs: never });
    serverResponse.write("first");
  }, "GET /v1/firmware/7 HTTP/1.1\r\nHost: x\r\n\r\n");
  // A timer of the response would have expired before this one.
  const { socket: other } = await sendHalf("/v1/telemetry", false, [2, never]);
  await once(other, "close");
  expect(response.destroyed).toBe(false);
  response.end();
  await once(response, "close");
  expect(response.writableFinished).toBe(true);
});
