import type { Dice } from "../dice.js";
import type { FuzzScene } from "./fuzz-world.js";
import type { FuzzRequest } from "./message.js";
import { mutateBody } from "./mutate-body.js";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const;

const pieces = [
  ...[
    "%",
    "%zz",
    "%00",
    "%c0%af",
    "%ff",
    "%2e%2e",
    "%2F",
    "%ED%A0%80",
    "%F0%9F%9B%B0",
    "//",
    "/../",
  ],
  ...["/./", ";a=b", "\\", "'", '"', "<x>", "{}", "*", "+", "..", "a".repeat(3_000), "null", "-1"],
];

const values = [
  ...[
    "",
    "0",
    "-1",
    "1e9",
    "99999999999999999999",
    "NaN",
    "null",
    "%00",
    "%ff",
    "%ED%A0%80",
    "true",
  ],
  ...[
    "a%20b",
    "raw",
    "1s",
    "9999999d",
    "2026-01-31T12:00:00Z",
    "1738324800000",
    "8640000000000001",
  ],
  ...[
    "9".repeat(300),
    "MA",
    "AA",
    "LTE",
    "Tm90IGEgY3Vyc29y",
    "%F0%9F%9B%B0",
    "*,bms.*,,",
    "min,max,min",
  ],
  ...["9007199254740991", "1e400", "1:2", "csv", "ndjson", "draft", "0.1.0"],
];

const names = [
  ...[
    "limit",
    "cursor",
    "hours",
    "from",
    "to",
    "metrics",
    "interval",
    "aggregate",
    "format",
    "status",
  ],
  ...["targetHardware", "rolloutChannel", "block", "currentVersion", "unknown", "__proto__"],
];

/** Header values that Node's client sends. `raw-shapes.ts` has those that it refuses. */
const headers: readonly (readonly [string, readonly string[]])[] = [
  [
    "content-type",
    ["", "application/json; charset=utf-16", "text/plain", "application/x-json", ";"],
  ],
  ["content-encoding", ["gzip", "identity", "br", "deflate, gzip", "x"]],
  ["accept", ["text/html", "*/*;q=0", "x"]],
  ["accept-encoding", ["gzip", "*;q=0"]],
  ["if-match", ["*", '"x"', 'W/"x"', "x", '""', '"a", "b"']],
  ["if-none-match", ["*", '"x"', 'W/"x"', ",,,", '"']],
  ["range", ["bytes=0-0", "bytes=-1", "bytes=-0", "bytes=1-0", "bytes=0-,1-", "x=1-", "bytes=99-"]],
  ["if-range", ['"x"', "Wed, 21 Oct 2015 07:28:00 GMT"]],
  ["last-event-id", ["-1", "999999999999999", "x", ""]],
  ["x-request-id", ["", "a b", "x".repeat(129), "<script>", "ok-1", "\u00e9"]],
  ["idempotency-key", ["", "a b", "x".repeat(256), "key-1", "\u00ff"]],
  ["origin", ["null", "https://gw.test", "http://127.0.0.1", "x"]],
  ["sec-fetch-site", ["same-origin", "cross-site", "none", "x"]],
  ["cookie", ["session=", "session=x", "a=b; session=x; session=y", ";;;", "x".repeat(4_000)]],
  ["x-forwarded-for", ["1.2.3.4", "x", "::1, ::2", "1".repeat(1_000)]],
  ["expect", ["100-continue"]],
  ["te", ["trailers"]],
  [
    "authorization",
    ["", "Bearer", "Bearer ", "Basic eDp5", "bearer x", "Bearer a.b.c", "Bearer \u00e9"],
  ],
];

function mutateTarget(target: string, dice: Dice): string {
  const [path = "", query = ""] = target.split("?", 2);
  switch (dice.int(5)) {
    case 0: {
      const at = dice.int(path.length);
      const piece = dice.pick(pieces);
      return encodeURI(`/${path.slice(1, at)}${piece}${path.slice(at)}`).replaceAll("%25", "%");
    }
    case 1: {
      const parts = path.split("/");
      parts[Math.max(1, parts.length - 1 - dice.int(2))] = dice.pick(values) || "%20";
      return `${parts.join("/")}${query && `?${query}`}`;
    }
    case 2:
      return `${path}?${query}&${dice.pick(names)}=${dice.pick(values)}`;
    case 3:
      return `${path}?${dice.pick(names)}=${dice.pick(values)}&${dice.pick(names)}=${dice.pick(values)}`;
    default:
      return `${path}?${dice.pick(["&&&", "=", "a", "%", "a=%zz", "?", "a[b]=c", "x".repeat(6_000)])}`;
  }
}

function mutateHeaders(request: FuzzRequest, scene: FuzzScene, dice: Dice): FuzzRequest["headers"] {
  if (dice.chance(0.3)) {
    const { tokens, device } = scene;
    const token = dice.pick([...Object.values(tokens), device.token]);
    const at = dice.int(token.length);
    const other = dice.chance(0.7) ? token : `${token.slice(0, at)}x${token.slice(at + 1)}`;
    return { ...request.headers, authorization: `Bearer ${other}` };
  }
  const [name, choices] = dice.pick(headers);
  return { ...request.headers, [name]: dice.pick(choices) };
}

/** Changes a well-formed request in one to three places. */
export function mutate(plain: FuzzRequest, scene: FuzzScene, dice: Dice): FuzzRequest {
  let request: FuzzRequest = { ...plain, fault: null };
  for (let changes = 1 + dice.int(3); changes > 0; changes--) {
    const throws = dice.next();
    if (throws < 0.5 && request.body !== null) {
      request = { ...request, body: mutateBody(request.body, dice) };
    } else if (throws < 0.75) {
      request = { ...request, target: mutateTarget(request.target, dice) };
    } else if (throws < 0.95) {
      request = { ...request, headers: mutateHeaders(request, scene, dice) };
    } else {
      request = { ...request, method: dice.pick(methods) };
    }
  }
  return request;
}
