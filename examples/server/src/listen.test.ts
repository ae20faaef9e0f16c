import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "./listen.js";
import { StartError } from "./start-error.js";

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
])("on %s, gives a URL to reach it at", async (HOST, url) => {
  expect(await listen(newServer(), { HOST, PORT: 0 })).toMatch(url);
});

it("says what to do when the port is taken", async () => {
  const taken = Number(new URL(await listen(newServer(), { HOST: "127.0.0.1", PORT: 0 })).port);
  const second = listen(newServer(), { HOST: "127.0.0.1", PORT: taken });
  await expect(second).rejects.toThrow(StartError);
  await expect(second).rejects.toThrow(`Port ${taken} on 127.0.0.1 is taken`);
  await expect(second).rejects.toThrow(/: PORT=\d+ npm start$/);
});

it("says what to do when the host is not this machine's", async () => {
  // 192.0.2.0/24 is set apart for documentation (RFC 5737).
  const elsewhere = listen(newServer(), { HOST: "192.0.2.1", PORT: 0 });
  await expect(elsewhere).rejects.toThrow('HOST is "192.0.2.1", which is no address');
});

it.each(["EACCES", "EADDRNOTAVAIL"])("has a sentence for %s", async (code) => {
  const server = newServer();
  server.listen = () => {
    queueMicrotask(() => server.emit("error", Object.assign(new Error(code), { code })));
    return server;
  };
  await expect(listen(server, { HOST: "127.0.0.1", PORT: 80 })).rejects.toThrow(/npm start$/);
});
