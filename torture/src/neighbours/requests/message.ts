/** Placeholder for the number of each sent message. It is as long as the number. */
export const sequence = "SEQNUM";
/** Placeholder for an integer that no other message and no other `n` below 1,000 has. */
export const sequenceNumber = (n: number): string => `#1${sequence}${String(n).padStart(3, "0")}`;
/** The same number as two groups of an IPv6 address: a network and a host. */
const [subnet, host] = ["SEQ", "NUM"];

/** A request that an attacker repeats. It is ASCII. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Addresses of a client that has a /48. Its requests come from a thousand networks in it. */
export const addressWithin = (network: number): string =>
  `2001:db8:${network.toString(16)}:${subnet}::${host}`;

/** Serialises a body. A placeholder for an integer becomes an integer. */
export const toJson = (body: unknown): string =>
  JSON.stringify(body).replaceAll(/"#(1SEQNUM\d{3})"/g, "$1");

/** Replaces the placeholders in a text by the number of the message. */
export function numbered(text: string, number: number): string {
  const digits = String(number % 1_000_000).padStart(sequence.length, "0");
  return text
    .replaceAll(sequence, digits)
    .replaceAll(`${subnet}::${host}`, `${digits.slice(3)}::${digits.slice(0, 3)}`);
}

/** Returns a request as it is sent, in ASCII. */
export function toWire({ method, target, headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" && method === "GET" ? "" : `content-length: ${body.length}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}${length}\r\n${body}`;
}
