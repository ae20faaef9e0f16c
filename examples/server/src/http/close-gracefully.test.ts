import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { prepareToClose } from "./close-gracefully.js";

async function start(listener: RequestListener) {
  let reportArrival: (response: ServerResponse) => void;
  const arrival = new Promise<ServerResponse>((resolve) => {
    reportArrival = resolve;
  });
  const server = createServer((request, response) => {
    reportArrival(response);
    listener(request, response);
  });
  const close = prepareToClose(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const openConnection = async () => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    const sendRequest = async () => {
      socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
      return String((await once(socket, "data"))[0]);
    };
    return { socket, sendRequest };
  };
  return { close, openConnection, arrival };
}

it("answers a request that arrives on an idle connection while it closes, then closes the connection", async () => {
  const { close, openConnection } = await start((_request, response) => response.end("hello"));
  const client = await openConnection();
  expect(await client.sendRequest()).toContain("Connection: keep-alive");
  const closed = close({ idleMs: 60_000, responseMs: 60_000 });
  // New connections are refused while this one is still served.
  const isRefused = () =>
    openConnection().then(
      ({ socket }) => {
        socket.destroy();
        return false;
      },
      (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
    );
  await expect.poll(isRefused).toBe(true);
  const last = await client.sendRequest();
  expect(last).toContain("connection: close");
  expect(last).toContain("hello");
  await closed;
});

it("marks a pending response as the last of its connection, and closes silent connections", async () => {
  const { close, openConnection, arrival } = await start(() => {});
  const [asking, silent] = [await openConnection(), await openConnection()];
  const received = asking.sendRequest();
  const response = await arrival;
  const gone = once(silent.socket, "close");
  const closed = close({ idleMs: 0, responseMs: 60_000 });
  await gone;
  response.end("hello");
  expect(await received).toContain("connection: close");
  await closed;
});

it("ends connections whose response is not sent in time", async () => {
  const { close, openConnection, arrival } = await start(() => {});
  const { socket, sendRequest } = await openConnection();
  const gone = once(socket, "close");
  void sendRequest();
  await arrival;
  await close({ idleMs: 0, responseMs: 0 });
  await gone;
});

it("releases the responses of pipelined requests when their connection ends", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const responses: WeakRef<ServerResponse>[] = [];
  const server = createServer((_, response) => {
    responses.push(new WeakRef(response));
  }).listen(0, "127.0.0.1");
  const close = prepareToClose(server);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n".repeat(10));
  await expect.poll(() => responses.length).toBe(10);
  socket.destroy();
  const kept = () => {
    collectGarbage();
    return responses.filter((response) => response.deref() !== undefined).length;
  };
  await expect.poll(kept).toBe(0);
  await close({ idleMs: 0, responseMs: 0 });
});
