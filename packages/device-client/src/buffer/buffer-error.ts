/** Why the buffer does not take a record. */
export interface BufferError {
  /** `storage`: it failed; whether the record is kept is known when the buffer answers again. */
  readonly code: "not_a_record" | "record_too_large" | "storage";
  /** What went wrong and what to do, for a person. */
  readonly message: string;
}
