import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Logger, silentLogger } from "@device-gateway/core";
import type { Settings } from "../settings/settings.js";
import { StartError } from "../start-error.js";

export type ListenAddress = Pick<Settings, "HOST" | "PORT">;

/**
 * Connections that the kernel completes and queues until the process accepts them. Node's default of 511 is too short for a
 * fleet that returns at once: the kernel drops the packets of the other clients, which then wait for one to seven seconds.
 * Linux limits the queue to `net.core.somaxconn`, which is 4,096 by default.
 */
const backlog = 4_096;

/** The wildcard addresses, with the address at which this machine reaches a server that listens on one. */
const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
export const isWildcard = (host: string) => Object.hasOwn(wildcards, host);

const inUrl = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** Returns the URL at which this machine reaches a server that listens on an address. */
export const toLocalUrl = ({ HOST, PORT }: ListenAddress) =>
  `http://${inUrl(wildcards[HOST] ?? HOST)}:${PORT}`;

function toErrorSentence(
  code: string | undefined,
  { HOST, PORT }: ListenAddress,
  prefix: string,
): string | undefined {
  switch (code) {
    case "EADDRINUSE": {
      const other = PORT < 65_535 ? PORT + 1 : 3000;
      return `Port ${PORT} on ${HOST} is in use, perhaps by another run of this server. Stop that one, or use another port: ${prefix}PORT=${other} npm start`;
    }
    case "EACCES":
      return `This process may not listen on port ${PORT} of ${HOST}. Use a port from 1024 up: ${prefix}PORT=3000 npm start`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${prefix}HOST is "${HOST}", which is not an address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses: ${prefix}HOST=0.0.0.0 npm start`;
    default:
      return undefined;
  }
}

/**
 * Starts to listen. Returns the URL at which this machine reaches the server. `prefix` is the prefix of the settings that
 * give the address, such as `METRICS_`; error sentences use it. A later error, such as a connection that cannot be accepted, is
 * logged and does not stop the server.
 * @throws {StartError} if the server cannot listen on the address.
 */
export async function listen(
  server: Server,
  address: ListenAddress,
  { prefix = "", logger = silentLogger }: { prefix?: string; logger?: Logger } = {},
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const sentence = toErrorSentence(error.code, address, prefix);
      reject(sentence === undefined ? error : new StartError(sentence, { cause: error }));
    };
    server.once("error", refuse);
    server.listen(address.PORT, address.HOST, backlog, () => {
      server.off("error", refuse);
      server.on("error", (error) =>
        logger.error({ err: error }, "The server could not accept a connection"),
      );
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return toLocalUrl({ HOST: address.HOST, PORT: port });
}
