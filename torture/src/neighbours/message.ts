/** Stands in a message where each sending of it has a number of its own, and is as long as that number. */
export const sequence = "SEQNUM";
/** The same as two groups of an IPv6 address: a network and a host within it. */
const [subnet, host] = ["SEQ", "NUM"];

/** A request as an attacker sends it, over and over. All of it is ASCII. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Addresses of a client that has a whole /48: those of its requests are in a thousand networks of it. */
export const addressWithin = (network: number): string =>
  `2001:db8:${network.toString(16)}:${subnet}::${host}`;

/** Writes the number of a sending into a text. */
export function numbered(text: string, number: number): string {
  const digits = String(number % 1_000_000).padStart(sequence.length, "0");
  return text
    .replaceAll(sequence, digits)
    .replaceAll(`${subnet}::${host}`, `${digits.slice(3)}::${digits.slice(0, 3)}`);
}

/** The bytes of a request, as ASCII. */
export function toWire({ method, target, headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" && method === "GET" ? "" : `content-length: ${body.length}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}${length}\r\n${body}`;
}
