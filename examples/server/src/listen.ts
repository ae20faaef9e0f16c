import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "./settings/settings.js";
import { StartError } from "./start-error.js";

export type Place = Pick<Settings, "HOST" | "PORT">;

/** "All addresses" is none to connect to: this machine reaches them at its own. */
const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
export const isEverywhere = (host: string) => Object.hasOwn(everywhere, host);

const inUrl = (host: string) => (host.includes(":") ? `[${host}]` : host);

function toSentence(
  code: string | undefined,
  { HOST, PORT }: Place,
  prefix: string,
): string | undefined {
  switch (code) {
    case "EADDRINUSE": {
      const other = PORT < 65_535 ? PORT + 1 : 3000;
      return `Port ${PORT} on ${HOST} is taken, perhaps by another run of this server. Stop that one, or take another port: ${prefix}PORT=${other} npm start`;
    }
    case "EACCES":
      return `Port ${PORT} on ${HOST} needs rights that this process does not have. Take a port from 1024 up: ${prefix}PORT=3000 npm start`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${prefix}HOST is "${HOST}", which is no address of this machine. Use 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses: ${prefix}HOST=0.0.0.0 npm start`;
    default:
      return undefined;
  }
}

/**
 * Starts to listen and gives the URL at which this machine reaches the server. The prefix is that of the
 * settings that name the place.
 * @throws {StartError} when the address can't be had.
 */
export async function listen(server: Server, place: Place, prefix = ""): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const sentence = toSentence(error.code, place, prefix);
      reject(sentence === undefined ? error : new StartError(sentence, { cause: error }));
    });
    server.listen(place.PORT, place.HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return `http://${inUrl(everywhere[place.HOST] ?? place.HOST)}:${port}`;
}
