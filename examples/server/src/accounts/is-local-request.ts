import type { IncomingMessage } from "node:http";

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"]);
const loopbackAddress = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const forwarding = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Whether a server that listens here can be reached from this machine alone. */
export const isLoopback = (host: string) =>
  loopbackNames.has(host) || loopbackAddress.test(host) || host === "::1";

/**
 * Reports whether a request comes from this machine: its connection does, no proxy has named another client, and its
 * Host is this machine's own, so that DNS rebinding does not help a page elsewhere. A proxy on this machine that says
 * nothing passes too: ask for the demo's token as well.
 */
function isLocal(header: (name: string) => string | undefined | null, peer: string): boolean {
  const name = (header("host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const direct = forwarding.every((each) => header(each) === undefined || header(each) === null);
  return direct && loopbackNames.has(name) && loopbackAddress.test(peer);
}

/** The same for a request of Node's. */
export const isLocalRequest = ({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">) =>
  isLocal((name) => headers[name]?.toString(), socket.remoteAddress ?? "");

/** The same for a call of the accounts, whose peer the server has written into a header of its own. */
export const isLocalCall = (headers: Headers, peerHeader: string) =>
  isLocal((name) => headers.get(name), headers.get(peerHeader) ?? "");
