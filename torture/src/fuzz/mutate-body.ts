import { gzipSync } from "node:zlib";
import type { Dice } from "../dice.js";

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const bomb = gzipSync(Buffer.alloc(1_000_000, " "));

/** JSON values that are difficult for parsers and databases. */
const junk: readonly string[] = [
  ...["null", "true", "0", "-1", "-0", "1.5", "1e400", "-1e400", "1e-400", "9007199254740993"],
  ...[
    "1".repeat(400),
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ude00"',
  ],
  ...[
    `"${"a".repeat(129)}"`,
    `"${"é".repeat(3_000)}"`,
    "[]",
    "{}",
    '{"__proto__":{"a":1}}',
    deep(40),
  ],
  ...[
    '{"constructor":{"prototype":1}}',
    '{"":""}',
    '{"a":1,"a":2}',
    '"2026-01-31T12:00:00Z"',
    '"1.2.3"',
  ],
  ...[
    '"../../etc/passwd"',
    '"\\n\\r\\t"',
    '"\uFEFF"',
    '"‮"',
    "[null]",
    '["x"]',
    "[[[1]]]",
    "1738324800000",
  ],
];

const wholes: readonly Buffer[] = [
  ...[
    "",
    " ",
    "null",
    "[]",
    "{}",
    '"x"',
    "1",
    "{",
    "[1,]",
    "{'a':1}",
    "\uFEFF{}",
    "nul",
    deep(5_000),
  ],
  ...['{"records":[]}', '{"records":{}}', '{"records":[1,null,"x",{},[],{"a":1}]}', "[{},{},{}]"],
  ...[`{"a":${"1".repeat(5_000)}}`, '{"timestamp":1e308}', '{"seq":1.5,"a":1}', '{"ota":[1]}'],
  ...[
    `{${Array.from({ length: 300 }, (_, n) => `"m${n}":${n}`).join()}}`,
    `{"${"n".repeat(200)}":1}`,
  ],
  ...[`${'{"a":'.repeat(12)}1${"}".repeat(12)}`, '{"ota":{"lastResult":"\\u0000\\ud800"},"v":1}'],
].map((text) => Buffer.from(text));

const bytes: readonly Buffer[] = [
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.alloc(64, 0),
  bomb,
];

/** Finds values in JSON text, approximately. */
const valueAt = /:\s*("(?:[^"\\]|\\.)*"|-?[\d.eE+]+|true|false|null)/g;

/** Changes a body: another value, a duplicate key, a missing part, another byte, or an unrelated body. */
export function mutateBody(body: Buffer, dice: Dice): Buffer {
  const text = body.toString("utf8");
  const places = [...text.matchAll(valueAt)];
  switch (dice.int(places.length > 0 ? 8 : 4)) {
    case 0:
      return dice.pick(wholes);
    case 1:
      return body.subarray(0, dice.int(body.length + 1));
    case 2: {
      const changed = Buffer.from(body);
      if (changed.length > 0) changed[dice.int(changed.length)] = dice.int(256);
      return changed;
    }
    case 3:
      return dice.pick(bytes);
    case 4: {
      const [name] = /"[^"]*"/.exec(text) ?? ['"a"'];
      return Buffer.from(text.replace("{", `{${name}:${dice.pick(junk)},`));
    }
    default: {
      const place = dice.pick(places);
      const value = place[1] as string;
      const from = place.index + place[0].length - value.length;
      const changed = text.slice(0, from) + dice.pick(junk) + text.slice(from + value.length);
      return Buffer.from(changed);
    }
  }
}
