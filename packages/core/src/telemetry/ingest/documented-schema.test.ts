import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  maxBatchRecords,
  RejectionCode,
  recordsOf,
  TelemetryRequest,
} from "../../contract/index.js";
import { parseRecord } from "./parse-record.js";

const receivedAt = Date.UTC(2025, 5, 1, 12);
const times = { receivedAt, oldest: receivedAt - 90 * 86_400_000, newest: receivedAt + 300_000 };

/** The subset of JSON Schema that the documented schema uses, taken literally. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: "date-time";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
}

function typesOf(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value !== "number") return [typeof value];
  // JSON has only finite numbers, so other numbers have no type there.
  if (!Number.isFinite(value)) return [];
  return Number.isInteger(value) ? ["number", "integer"] : ["number"];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typesOf(value).includes("object");

/** Returns the time of an RFC 3339 date-time with capital T and Z and without leap seconds, or undefined. */
function momentOf(text: string): number | undefined {
  const parts =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as number[];
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  const isDay = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  const offset = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)] as const;
  const fits = [hour, offset[0]].every((h = 0) => h < 24);
  if (!isDay || !fits || [minute, second, offset[1]].some((n = 0) => n > 59)) return undefined;
  const ofDay = (((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0)) * 1_000;
  const ahead = (offset[0] * 60 + offset[1]) * 60_000 * (parts[8] === "-" ? -1 : 1);
  return date.getTime() + ofDay - ahead + Math.floor(Number(parts[7] ?? 0) * 1_000);
}

function fits(value: unknown, schema: Schema): boolean {
  const { type, format, minimum, maximum, maxItems, required, properties, anyOf, not } = schema;
  if (type !== undefined && !typesOf(value).some((one) => [type].flat().includes(one)))
    return false;
  if (anyOf !== undefined && !anyOf.some((one) => fits(value, one))) return false;
  if (not !== undefined && fits(value, not)) return false;
  if (typeof value === "string" && format !== undefined) return momentOf(value) !== undefined;
  if (typeof value === "number") {
    return value >= (minimum ?? value) && value <= (maximum ?? value);
  }
  if (Array.isArray(value)) return value.length <= (maxItems ?? value.length);
  if (!isObject(value)) return true;
  return (
    (required ?? []).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(properties ?? {}).every(
      ([name, one]) => !Object.hasOwn(value, name) || fits(value[name], one),
    )
  );
}

/** Returns every path of a record with the value at it. */
function pathsOf(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  const members = Object.entries(value);
  return [[path, value], ...members.flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}

const schema = z.toJSONSchema(TelemetryRequest, { io: "input" }) as unknown as Schema;
const recordSchema = schema.anyOf?.[0] as Schema;

/** Returns the reasons for which the documentation rejects a record, computed independently of the product. */
function documentedFaults(record: unknown): RejectionCode[] {
  if (!isObject(record)) return ["not_an_object"];
  const faults: RejectionCode[] = [];
  const { timestamp, seq } = recordSchema.properties ?? {};
  const at = record["timestamp"];
  if (Object.hasOwn(record, "timestamp") && !fits(at, timestamp as Schema)) {
    faults.push("invalid_timestamp");
  } else {
    const moment =
      typeof at === "string" ? momentOf(at) : typeof at === "number" ? Math.floor(at) : receivedAt;
    const isIn = moment !== undefined && moment >= times.oldest && moment <= times.newest;
    if (!isIn) faults.push("timestamp_out_of_range");
  }
  if (Object.hasOwn(record, "seq") && !fits(record["seq"], seq as Schema))
    faults.push("invalid_seq");

  const paths = pathsOf(record);
  if (paths.some(([path]) => path.length > 8)) faults.push("too_deep");
  const metrics = paths.filter(
    ([[top = ""], value]) =>
      !["timestamp", "seq", "ota"].includes(top) &&
      (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))),
  );
  if (metrics.length > 256) faults.push("too_many_metrics");
  const names = metrics.map(([path]) =>
    path.map((key) => key.replaceAll("\\", "\\\\").replaceAll(".", "\\.")).join("."),
  );
  if (names.some((name) => name.length > 128)) faults.push("name_too_long");
  return faults;
}

const leaf = () =>
  fc.constantFrom<unknown>(
    0,
    -1.5,
    Number.POSITIVE_INFINITY,
    true,
    false,
    null,
    "",
    "text",
    "7",
    [],
    {},
  );
const around = (bound: number) => fc.integer({ min: bound - 2, max: bound + 2 });
const wrap = (value: unknown, names: readonly string[]) =>
  names.reduceRight<unknown>((inner, key) => (key === "[]" ? [inner] : { [key]: inner }), value);

const wide = () =>
  fc
    .tuple(around(256), fc.array(leaf(), { maxLength: 6 }), fc.boolean())
    .map(([count, others, nested]) => {
      const numbers = Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));
      return { ...(nested ? { a: numbers } : numbers), others };
    });
const deep = () =>
  fc
    .tuple(around(8), fc.constantFrom("a", "[]", "ota", "."), leaf())
    .map(([depth, key, value]) => ({
      x: wrap(value, Array<string>(Math.max(0, depth - 1)).fill(key)),
    }));
const long = () =>
  fc
    .tuple(around(128), fc.constantFrom("n", ".", "\\", "é"), fc.boolean(), leaf())
    .map(([length, key, nested, value]) => {
      const name = key.repeat(length / (key === "n" || key === "é" ? 1 : 2));
      return nested ? { [name.slice(0, -3)]: { ab: value } } : { [name]: value };
    });
const moment = () =>
  fc
    .tuple(
      fc.constantFrom(
        times.oldest,
        times.newest,
        receivedAt,
        Date.UTC(2024, 1, 29, 23, 59, 59, 999),
      ),
      fc.integer({ min: -1, max: 1 }),
      fc.constantFrom("", "+05:30", "-23:59", "+24:00", "z", "+0100", " "),
    )
    .map(([at, off, zone]) => {
      const iso = new Date(at + off).toISOString();
      return zone === "" ? iso : iso.replace("Z", zone);
    });
const timestamp = () =>
  fc.oneof(
    moment(),
    fc
      .tuple(fc.constantFrom(times.oldest, times.newest), fc.constantFrom(-1, -0.5, 0, 0.5, 1))
      .map(([at, off]) => at + off),
    fc.constantFrom<unknown>(
      ...[
        null,
        "",
        "2025-06-01",
        "2025-06-01T12:00Z",
        "2025-06-01T12:00:00",
        "2025-06-31T12:00:00Z",
      ],
      ...["2025-06-01 12:00:00Z", "2025-06-01T12:00:00.123456Z", "2025-06-01T12:00:60Z", "now"],
      ...[true, {}, [], Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 8.64e15, 1e300, -1],
    ),
  );
const seq = () =>
  fc.constantFrom<unknown>(
    0,
    -0,
    1.5,
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 53),
    Number.POSITIVE_INFINITY,
    null,
    "1",
    true,
    [],
  );
const small = () => fc.dictionary(fc.constantFrom("a", "b.c", "ota", "d"), leaf(), { maxKeys: 3 });
const body = () => fc.oneof(small(), small(), wide(), deep(), long());
const record = () =>
  fc.oneof(
    { weight: 12, arbitrary: body() },
    {
      weight: 6,
      arbitrary: fc.tuple(body(), timestamp()).map(([a, at]) => ({ ...a, timestamp: at })),
    },
    { weight: 3, arbitrary: fc.tuple(body(), seq()).map(([a, n]) => ({ ...a, seq: n })) },
    {
      weight: 2,
      arbitrary: fc.tuple(small(), wide(), deep()).map(([a, b, c]) => ({ ...a, ota: [b, c] })),
    },
    { weight: 1, arbitrary: leaf() },
  );

test("§4 a record is accepted if, and only if, it matches the documentation", () => {
  const taken = { yes: 0, no: new Set<RejectionCode>() };
  fc.assert(
    fc.property(record(), (made) => {
      const faults = documentedFaults(made);
      const parsed = parseRecord(made, times);
      expect(parsed.isOk(), faults.join()).toBe(faults.length === 0);
      if (parsed.isOk()) {
        taken.yes += 1;
      } else {
        expect(faults).toContain(parsed.error.code);
        taken.no.add(parsed.error.code);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(taken.yes).toBeGreaterThan(200);
  expect([...taken.no].sort()).toEqual([...RejectionCode.options].sort());
});

test("§4 a request is well-formed if, and only if, it matches the documentation", () => {
  const records = () =>
    fc
      .oneof(around(maxBatchRecords), around(2))
      .map((count) => Array<unknown>(Math.max(0, count)).fill({ a: 1 }));
  const request = fc.oneof(
    records(),
    records().map((some) => ({ records: some })),
    small().map((some) => ({ records: some })),
    body(),
    leaf(),
  );
  fc.assert(
    fc.property(request, (made) => {
      const parsed = TelemetryRequest.safeParse(made);
      expect(parsed.success).toBe(fits(made, schema));
      if (parsed.success) expect(recordsOf(parsed.data).length).toBeLessThanOrEqual(500);
    }),
    { numRuns: 1_000 },
  );
});
