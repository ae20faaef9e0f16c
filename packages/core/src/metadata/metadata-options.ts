import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The keys of what a schema returns. Any text if the schema does not say. */
export type MetadataKey<Schema extends StandardSchemaV1> =
  unknown extends StandardSchemaV1.InferOutput<Schema>
    ? string
    : keyof StandardSchemaV1.InferOutput<Schema> & string;

/** Facts of your own about each device, such as a customer number (§8). */
export interface MetadataOptions<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /**
   * An object schema of any library that implements Standard Schema. It must validate synchronously. What it returns is
   * stored as JSON and validated again when it is changed or read, so the schema must accept it.
   */
  readonly schema: Schema;
  /** Keys that the owner of a device can read. Default: none. */
  readonly ownerReadable?: readonly MetadataKey<Schema>[];
  /**
   * Keys by which operators find devices: at most 8, each of 1 to 64 of `A-Z a-z 0-9 . _ -`. Their values must be texts
   * of 1 to 128 printable characters, numbers or booleans. Default: none.
   */
  readonly indexed?: readonly MetadataKey<Schema>[];
}
