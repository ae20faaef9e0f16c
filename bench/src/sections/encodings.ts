import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type ChunkRecord, packChunk, unpackChunk } from "../encoding/chunk.js";
import { packRecord, unpackRecord } from "../encoding/packed-record.js";
import { putTogether, takeApart, toShape } from "../encoding/skeleton.js";
import { epoch, minuteMs, recordOf } from "../fleet.js";
import { cpuOf, createLines, interleave, type Section } from "../measure.js";

interface Encoding {
  readonly name: string;
  /** Encodes an hour's records; says how many bytes they take. */
  encode(texts: readonly string[]): number;
  /** Gives them back. */
  decode(): readonly string[];
}

const parse = (text: string) => JSON.parse(text) as Parameters<typeof takeApart>[0];

function deflated(name: string, level: number, dictionary?: Buffer, together = false): Encoding {
  const options = { level, ...(dictionary && { dictionary }) };
  let kept: Buffer[] = [];
  return {
    name,
    encode(texts) {
      const pieces = together ? [texts.join("\n")] : texts;
      kept = pieces.map((text) => deflateRawSync(text, options));
      return kept.reduce((sum, { length }) => sum + length, 0);
    },
    decode: () => kept.flatMap((bytes) => inflateRawSync(bytes, options).toString().split("\n")),
  };
}

const plain = (): Encoding => {
  let kept: Buffer[] = [];
  return {
    name: "plain text",
    encode(texts) {
      kept = texts.map((text) => Buffer.from(text));
      return kept.reduce((sum, { length }) => sum + length, 0);
    },
    decode: () => kept.map((bytes) => bytes.toString()),
  };
};

/** As F keeps records. What comes in is parsed already, as it is at ingest. */
const packed = (values: ReadonlyMap<string, ReturnType<typeof parse>>): Encoding => {
  let kept: { skeleton: string; bytes: Buffer }[] = [];
  const shapes = new Map<string, ReturnType<typeof toShape>>();
  return {
    name: "F packed",
    encode(texts) {
      kept = texts.map((text) => {
        const { skeleton, numbers, strings } = takeApart(values.get(text) ?? {});
        return { skeleton, bytes: packRecord(numbers, strings) };
      });
      return kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
    },
    decode: () =>
      kept.map(({ skeleton, bytes }) => {
        const shape = shapes.get(skeleton) ?? toShape(0, skeleton);
        shapes.set(skeleton, shape);
        const { numbers, strings } = unpackRecord(bytes, shape.names.length);
        return putTogether(shape, numbers, strings);
      }),
  };
};

/** As E keeps an hour of one shape. */
const columns = (values: ReadonlyMap<string, ReturnType<typeof parse>>): Encoding => {
  let kept: { skeleton: string; chunk: ReturnType<typeof packChunk> } | undefined;
  return {
    name: "E columns",
    encode(texts) {
      const rows = texts.map((text) => takeApart(values.get(text) ?? {}));
      const records = rows.map(({ numbers, strings }, n): ChunkRecord => {
        const at = epoch + n * minuteMs;
        return { at, receivedAt: at, position: n, identity: null, numbers, strings };
      });
      const chunk = packChunk(records);
      kept = { skeleton: rows[0]?.skeleton ?? "", chunk };
      return chunk.columns.length + chunk.strings.length;
    },
    decode() {
      if (kept === undefined) return [];
      const shape = toShape(0, kept.skeleton);
      return unpackChunk(kept.chunk).map((row) => putTogether(shape, row.numbers, row.strings));
    },
  };
};

/** Bytes and CPU of a record's text, by the way in which it is written. */
export function measureEncodings(size: { records: number; repeats: number }): Section {
  const hours = Array.from({ length: Math.ceil(size.records / 60) }, (_, device) =>
    Array.from({ length: 60 }, (__, minute) =>
      JSON.stringify(recordOf(device, epoch + minute * minuteMs).value),
    ),
  );
  const values = new Map(hours.flat().map((text) => [text, parse(text)]));
  const dictionary = Buffer.from(JSON.stringify(recordOf(16, epoch + 9 * minuteMs).value));
  const subjects = [
    plain(),
    deflated("deflate 1", 1),
    deflated("deflate 1, dictionary", 1, dictionary),
    deflated("deflate 6, dictionary", 6, dictionary),
    packed(values),
    deflated("an hour, deflate 6", 6, undefined, true),
    columns(values),
  ];
  const lines = createLines();
  const count = hours.length * 60;
  interleave(size.repeats, subjects, ({ name, encode, decode }) => {
    let bytes = 0;
    let decoding = 0;
    const both = cpuOf(() => {
      for (const texts of hours) {
        bytes += encode(texts);
        decoding += cpuOf(() => {
          const back = decode();
          if (back.length !== 60 || back[59] !== texts[59]) throw new Error(`${name} lost text.`);
        });
      }
    });
    lines.add("size", "B/record", name, bytes / count);
    lines.add("writing, CPU", "µs/record", name, (both - decoding) / count);
    lines.add("reading, CPU", "µs/record", name, decoding / count);
  });
  return { title: "Encodings of the text", lines: lines.all(), notes: [] };
}
