import { gzipSync } from "node:zlib";

/** Bytes to send on a socket, and the allowed responses. */
export interface RawShape {
  readonly what: string;
  /** Sent one after another, a few milliseconds apart. */
  readonly pieces: readonly (string | Buffer)[];
  /** The client ends its side of the connection before it has sent everything. */
  readonly endsEarly?: true;
  /** The client reads nothing before it has sent everything. */
  readonly readsLate?: true;
  /** Allowed lists of response statuses. An empty list: the connection may end without a response. */
  readonly answers: readonly (readonly number[])[];
}

export interface RawTarget {
  readonly mount: string;
  readonly token: string;
}

const crlf = "\r\n";

/** Returns what malicious clients and proxies send. Node's parser itself answers most of it. */
export function rawShapes({ mount, token }: RawTarget): readonly RawShape[] {
  const health = `GET ${mount}/healthz HTTP/1.1${crlf}host: x${crlf}`;
  const bearer = `authorization: Bearer ${token}${crlf}content-type: application/json${crlf}`;
  const post = `POST ${mount}/api/v1/telemetry HTTP/1.1${crlf}host: x${crlf}${bearer}`;
  const close = `connection: close${crlf}`;
  const sized = (body: string | Buffer, more = "") =>
    `${post}${more}${close}content-length: ${Buffer.byteLength(body)}${crlf}${crlf}`;
  const smuggled = `GET ${mount}/healthz HTTP/1.1${crlf}host: x${crlf}${close}${crlf}`;
  const record = '{"voltage":12}';
  const refused = [[400]];
  /** A client that sends more than a connection may queue gets up to eight responses. */
  const upToEight = (status: number) =>
    Array.from({ length: 9 }, (_, count) => Array<number>(count).fill(status));
  const openApi = `GET ${mount}/api/v1/openapi.json HTTP/1.1${crlf}host: x${crlf}${crlf}`;
  const keptOpen = `${post}content-length: ${record.length}${crlf}${crlf}${record}`;
  const bomb = gzipSync(Buffer.alloc(20_000_000, " "));
  return [
    {
      what: "both lengths: content-length and chunked",
      pieces: [
        `${post}content-length: 4${crlf}transfer-encoding: chunked${crlf}${crlf}0${crlf}${crlf}${smuggled}`,
      ],
      answers: refused,
    },
    {
      what: "two content-lengths",
      pieces: [
        `${post}content-length: 14${crlf}content-length: 3${crlf}${crlf}${record}${smuggled}`,
      ],
      answers: refused,
    },
    {
      what: "a content-length list",
      pieces: [`${post}content-length: 14, 14${crlf}${crlf}${record}`],
      answers: refused,
    },
    {
      what: "an unknown transfer-encoding",
      pieces: [`${post}transfer-encoding: xchunked${crlf}${crlf}0${crlf}${crlf}${smuggled}`],
      answers: [[400], [501]],
    },
    {
      what: "chunked that is not last",
      pieces: [
        `${post}transfer-encoding: chunked, identity${crlf}${crlf}0${crlf}${crlf}${smuggled}`,
      ],
      answers: refused,
    },
    {
      what: "space before the colon",
      pieces: [`${post}transfer-encoding : chunked${crlf}${crlf}0${crlf}${crlf}${smuggled}`],
      answers: refused,
    },
    {
      what: "a folded header",
      pieces: [`${post}transfer-encoding:${crlf} chunked${crlf}${crlf}0${crlf}${crlf}${smuggled}`],
      answers: [[400], [400, 200]],
    },
    {
      what: "a negative content-length",
      pieces: [`${post}content-length: -1${crlf}${crlf}`],
      answers: refused,
    },
    {
      what: "a content-length that is too large for a number",
      pieces: [`${post}content-length: 99999999999999999999999${crlf}${crlf}`],
      answers: [[400], [413]],
    },
    {
      what: "a bad chunk size",
      pieces: [`${post}transfer-encoding: chunked${crlf}${crlf}zz${crlf}{}${crlf}0${crlf}${crlf}`],
      answers: [[400], []],
    },
    {
      what: "a chunk with extensions, and trailers",
      pieces: [
        `${post}${close}transfer-encoding: chunked${crlf}${crlf}e;a=b${crlf}${record}${crlf}0${crlf}x: y${crlf}${crlf}`,
      ],
      answers: [[200]],
    },
    {
      what: "a body, byte by byte",
      pieces: [sized(record), ...record],
      answers: [[200]],
    },
    {
      what: "headers, byte by byte",
      pieces: [...`${health}${close}${crlf}`],
      answers: [[200]],
    },
    {
      what: "a body that breaks off",
      pieces: [`${post}content-length: 100${crlf}${crlf}{"a":`],
      endsEarly: true,
      answers: [[400], []],
    },
    {
      what: "chunks that break off",
      pieces: [`${post}transfer-encoding: chunked${crlf}${crlf}5${crlf}{"a":${crlf}`],
      endsEarly: true,
      answers: [[400], []],
    },
    {
      what: "headers that break off",
      pieces: [health],
      endsEarly: true,
      answers: [[400], []],
    },
    {
      what: "twenty requests in one piece",
      pieces: [[...Array<string>(19).fill(health), `${health}${close}`, ""].join(crlf)],
      answers: [Array.from({ length: 20 }, () => 200)],
    },
    {
      what: "as many requests in one piece as a connection may have",
      pieces: [[...Array<string>(71).fill(health), `${health}${close}`, ""].join(crlf)],
      answers: [Array.from({ length: 72 }, () => 200)],
    },
    {
      what: "3,000 requests for a large document, unread",
      pieces: [openApi.repeat(3_000)],
      readsLate: true,
      answers: upToEight(200),
    },
    {
      what: "3,000 HEAD requests, unread",
      pieces: [openApi.replace("GET", "HEAD").repeat(3_000)],
      readsLate: true,
      answers: upToEight(200),
    },
    {
      what: "3,000 requests for an unknown path, unread",
      pieces: [openApi.replace("openapi.json", "nowhere").repeat(3_000)],
      readsLate: true,
      answers: upToEight(404),
    },
    {
      what: "1,000 uploads that are refused, unread",
      pieces: [keptOpen.replace(token, "x").repeat(1_000)],
      readsLate: true,
      answers: upToEight(401),
    },
    {
      what: "twenty uploads in pieces that end anywhere, and another request behind them",
      pieces: [...((keptOpen.repeat(20) + smuggled).match(/.{1,199}/gs) ?? [])],
      answers: [Array.from({ length: 21 }, () => 200)],
    },
    {
      what: "two hosts, and another request behind them",
      pieces: [`${health}Host: y${crlf}${crlf}${smuggled}`],
      answers: refused,
    },
    {
      what: "two hosts behind another request",
      pieces: [`${health}${crlf}${health}hOST: x${crlf}${crlf}${smuggled}`],
      answers: [[200, 400]],
    },
    {
      what: "two hosts with an upload",
      pieces: [`${post}host: y${crlf}content-length: 14${crlf}${crlf}${record}`],
      answers: refused,
    },
    {
      what: "a refused upload, and another request behind it",
      pieces: [`${post.replace(token, "x")}content-length: 14${crlf}${crlf}${record}${smuggled}`],
      answers: [[401, 200], [401]],
    },
    {
      what: "a body that is too large, and another request behind it",
      pieces: [`${post}content-length: 40000${crlf}${crlf}${" ".repeat(40_000)}${smuggled}`],
      answers: [[413, 200], [413]],
    },
    {
      what: "a body for a GET",
      pieces: [`${health}${close}content-length: 2${crlf}${crlf}{}`],
      answers: [[200]],
    },
    {
      what: "a compression bomb",
      pieces: [sized(bomb, `content-encoding: gzip${crlf}`), bomb],
      answers: [[415]],
    },
    {
      what: "a header of 70 KB",
      pieces: [`${health}x-long: ${"x".repeat(70_000)}${crlf}${crlf}`],
      answers: [[431], []],
    },
    {
      what: "3,000 headers",
      pieces: [
        `${health}${close}${Array.from({ length: 3_000 }, (_, n) => `h${n}: 1${crlf}`).join("")}${crlf}`,
      ],
      answers: [[431], [200], []],
    },
    {
      what: "a NUL in a header",
      pieces: [`${health}x-nul: a\0b${crlf}${crlf}`],
      answers: refused,
    },
    {
      what: "line feeds only",
      pieces: [`${health}${close}${crlf}`.replaceAll("\r", "")],
      answers: [[400], [200]],
    },
    {
      what: "bytes in the path",
      pieces: [
        Buffer.concat([
          Buffer.from(`GET ${mount}/api/v1/`),
          Buffer.from([0xff, 0xfe]),
          Buffer.from(` HTTP/1.1${crlf}host: x${crlf}${close}${crlf}`),
        ]),
      ],
      answers: [[400], [404]],
    },
    {
      what: "an endless request line",
      pieces: [`GET /${"a".repeat(100_000)}`],
      endsEarly: true,
      answers: [[431], [400], []],
    },
    {
      what: "bytes that are not HTTP",
      pieces: ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
      answers: refused,
    },
    {
      what: "HTTP/0.9",
      pieces: [`GET ${mount}/healthz${crlf}`],
      answers: [[400], []],
      endsEarly: true,
    },
    {
      what: "HTTP/1.0 without a host",
      pieces: [`GET ${mount}/healthz HTTP/1.0${crlf}${crlf}`],
      answers: [[200]],
    },
    {
      what: "HTTP/1.1 without a host",
      pieces: [`GET ${mount}/healthz HTTP/1.1${crlf}${close}${crlf}`],
      answers: [[400]],
    },
    {
      what: "HTTP/2's preface",
      pieces: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      answers: [[400], [505]],
    },
    {
      what: "an absolute target",
      pieces: [`GET http://evil.example.com/healthz HTTP/1.1${crlf}host: x${crlf}${close}${crlf}`],
      answers: [[404], [200]],
    },
    {
      what: "the target of OPTIONS",
      pieces: [`OPTIONS * HTTP/1.1${crlf}host: x${crlf}${close}${crlf}`],
      answers: [[404], [400]],
    },
    {
      what: "CONNECT",
      pieces: [`CONNECT evil.example.com:443 HTTP/1.1${crlf}host: x${crlf}${crlf}`],
      answers: [[], [404]],
    },
    {
      what: "an upgrade to WebSocket",
      pieces: [`${health}connection: close, upgrade${crlf}upgrade: websocket${crlf}${crlf}`],
      answers: [[200]],
    },
    {
      what: "an unknown expectation",
      pieces: [`${post}${close}expect: a miracle${crlf}content-length: 14${crlf}${crlf}${record}`],
      answers: [[417]],
    },
  ];
}
