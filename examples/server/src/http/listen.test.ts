import { createServer } from "node:http";
import { silentLogger } from "@device-gateway/core";
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

it.each([
  [
    "EACCES",
    "This process may not listen on port 80 of 192.0.2.1. Use a port from 1024 up: PORT=3000 npm start",
  ],
  [
    "EADDRNOTAVAIL",
    'HOST is "192.0.2.1", which is not an address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses: HOST=0.0.0.0 npm start',
  ],
])("reports what to do about %s", async (code, sentence) => {
  const server = newServer();
  server.listen = () => {
    queueMicrotask(() => server.emit("error", Object.assign(new Error(code), { code })));
    return server;
  };
  const listening = listen(server, { HOST: "192.0.2.1", PORT: 80 });
  await expect(listening).rejects.toThrow(StartError);
  await expect(listening).rejects.toHaveProperty("message", sentence);
});

it("logs errors that come later, and keeps the server running", async () => {
  const server = newServer();
  const messages: string[] = [];
  const logger = { ...silentLogger, error: (_: object, message: string) => messages.push(message) };
  await listen(server, { HOST: "127.0.0.1", PORT: 0 }, { logger });
  for (let n = 0; n < 2; n++) server.emit("error", new Error("ENOBUFS"));
  expect(messages).toEqual(Array(2).fill("The server could not accept a connection"));
});
