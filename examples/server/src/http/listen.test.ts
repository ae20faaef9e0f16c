import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { StartError } from "../start-error.js";
import { listen } from "./listen.js";

function newServer() {
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  return server;
}

it.each([
  ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
  ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/],
  ["localhost", /^http:\/\/localhost:\d+$/],
])("on %s, returns a URL at which the server can be reached", async (HOST, url) => {
  expect(await listen(newServer(), { HOST, PORT: 0 })).toMatch(url);
});

it("reports what to do if the port is in use", async () => {
  const usedPort = Number(new URL(await listen(newServer(), { HOST: "127.0.0.1", PORT: 0 })).port);
  const second = listen(newServer(), { HOST: "127.0.0.1", PORT: usedPort });
  await expect(second).rejects.toThrow(StartError);
  await expect(second).rejects.toThrow(`Port ${usedPort} on 127.0.0.1 is in use`);
  await expect(second).rejects.toThrow(/: PORT=\d+ npm start$/);
});

it("reports what to do if the host is not this machine's", async () => {
  // 192.0.2.0/24 is reserved for documentation (RFC 5737).
  const elsewhere = listen(newServer(), { HOST: "192.0.2.1", PORT: 0 });
  await expect(elsewhere).rejects.toThrow('HOST is "192.0.2.1", which is not an address');
});

it.each(["EACCES", "EADDRNOTAVAIL"])("reports what to do about %s", async (code) => {
  const server = newServer();
  server.listen = () => {
    queueMicrotask(() => server.emit("error", Object.assign(new Error(code), { code })));
    return server;
  };
  await expect(listen(server, { HOST: "127.0.0.1", PORT: 80 })).rejects.toThrow(/npm start$/);
});
