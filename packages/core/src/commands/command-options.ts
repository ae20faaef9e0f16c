import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A command that can be sent to devices (§11). */
export interface CommandOptions {
  /**
   * An object schema of any library that implements Standard Schema. It must validate synchronously, and return the
   * same for the same payload: a repeated request is recognised by it. The device gets what it returns, as JSON of at most
   * 4,096 bytes.
   */
  readonly payload: StandardSchemaV1;
  /** The roles that may send and cancel the command. */
  readonly sentBy: readonly ("owner" | "operator")[];
  /**
   * Seconds after which a device that did not fetch the command no longer gets it. 1 to 2,592,000, default 3,600. The
   * device must not begin the command later either.
   */
  readonly expiresAfterSeconds?: number;
  /**
   * Seconds that the device has to answer after the delivery. Then the command's state is `unknown`. 1 to 2,592,000,
   * default 600.
   */
  readonly answerWithinSeconds?: number;
}
