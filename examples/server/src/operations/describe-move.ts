import type { MoveOutcome, MoveStep } from "@device-gateway/store-postgres";

const digits = (number: number, most: number) =>
  number.toLocaleString("en", { maximumFractionDigits: most });

export const describeStep = (step: MoveStep): string =>
  [step.step, "schema" in step && step.schema, "table" in step && step.table]
    .filter((part) => part !== false)
    .join(" ");

/** Says what is left of a move that was undone without its target. */
export const describeLeft = (schema: string): string =>
  `The database that ${schema} is in did not answer. When it works again, run there: DROP SCHEMA ${schema} CASCADE`;

/** Says how much was moved in which time. A call that continues after the hand-over counts no rows. */
export function describeOutcome({ rows, records, bytes, ms }: MoveOutcome): string {
  if (rows === 0) return "an earlier call has copied the rows.";
  const [minutes, size] = [ms / 60_000, bytes / 1e9];
  const perRecords =
    records === 0 ? "" : `, ${digits((minutes / records) * 1e7, 2)} minutes per 10 million records`;
  return `${digits(rows, 0)} rows, of which ${digits(records, 0)} of telemetry, from ${digits(size, 3)} GB on the disk, in ${digits(minutes, 2)} minutes: ${digits(minutes / size, 2)} minutes per GB${perRecords}.`;
}
