/** Why the buffer rejected a record. */
export interface BufferError {
  /** With `storage`, the storage failed and it is unknown whether the record was stored. */
  readonly code: "not_a_record" | "record_too_large" | "storage";
  /** What is wrong and what to do, as a sentence for people. */
  readonly message: string;
}
