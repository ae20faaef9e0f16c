import { packColumns, unpackColumns } from "./columns.js";

/** One record of a chunk; all records of a chunk have one shape. */
export interface ChunkRecord {
  readonly at: number;
  readonly receivedAt: number;
  readonly position: number;
  /** What tells duplicates apart, for records with a time of their own. */
  readonly identity: string | null;
  readonly numbers: readonly number[];
  readonly strings: readonly string[];
}

export interface PackedChunk {
  readonly columns: Buffer;
  /** For each string of the shape one, or a list where they differ: JSON. */
  readonly strings: string;
  /** For each record; null when none has any: JSON. */
  readonly identities: string | null;
}

/** The columns before those of the numbers. */
export const timeColumns = 3;

export function packChunk(records: readonly ChunkRecord[]): PackedChunk {
  const width = records[0]?.numbers.length ?? 0;
  const columns = packColumns([
    records.map(({ at }) => at),
    records.map(({ receivedAt }) => receivedAt),
    records.map(({ position }) => position),
    ...Array.from({ length: width }, (_, n) => records.map(({ numbers }) => numbers[n] as number)),
  ]);
  const strings = (records[0]?.strings ?? []).map((first, n) => {
    const all = records.map(({ strings: own }) => own[n] as string);
    return all.every((text) => text === first) ? first : all;
  });
  const identities = records.some(({ identity }) => identity !== null)
    ? JSON.stringify(records.map(({ identity }) => identity))
    : null;
  return { columns, strings: JSON.stringify(strings), identities };
}

export function unpackChunk(chunk: PackedChunk): ChunkRecord[] {
  const [ats, receipts, positions, ...columns] = unpackColumns(chunk.columns);
  const strings = JSON.parse(chunk.strings) as (string | string[])[];
  const identities = JSON.parse(chunk.identities ?? "[]") as (string | null)[];
  return Array.from(ats ?? [], (at, n) => ({
    at,
    receivedAt: receipts?.[n] as number,
    position: positions?.[n] as number,
    identity: identities[n] ?? null,
    numbers: columns.map((column) => column[n] as number),
    strings: strings.map((text) => (typeof text === "string" ? text : (text[n] as string))),
  }));
}
