import type { Logger } from "@device-gateway/core/store";
import type { Connection } from "./connection/connection.js";
import { deleteInSteps, deletionDeadline } from "./delete-in-steps.js";
import { oneAtATime } from "./one-at-a-time.js";
import type { Session, Statement } from "./statement.js";

/** Rows that nobody can reach any more, and how they are deleted. */
export interface BackgroundDeletion<Item, Place> {
  /** Finds what is to be deleted. Those after the place `after` come first. */
  readonly find: Statement<{ readonly after: Place }, Item>;
  readonly placeOf: (item: Item) => Place;
  /** A place before all others. */
  readonly first: Place;
  /** Deletes up to `step` rows of an item within a transaction. Returns how many. */
  readonly deleteSome: (session: Session, item: Item) => Promise<number>;
  readonly step: number;
  /** Logged if something could not be deleted. */
  readonly message: string;
}

/**
 * Creates a function that deletes in steps until the time of a call is over. The next call goes on after the item that
 * was tried last, so an item that takes all the time comes last then. A call joins the run that is under way. It never
 * rejects: an item that cannot be deleted now blocks neither other items nor the caller.
 */
export function createBackgroundDeletion<Item, Place>(
  { find, placeOf, first, deleteSome, step, message }: BackgroundDeletion<Item, Place>,
  { read, write }: Connection,
  logger: Logger | undefined,
): () => Promise<void> {
  /** The place of the item that was tried last. */
  let after = first;

  async function deleteItems(failures: unknown[]): Promise<void> {
    const deadline = deletionDeadline();
    for (const item of await read((session) => find(session, { after }))) {
      if (performance.now() >= deadline) return;
      after = placeOf(item);
      const deleting = deleteInSteps(
        step,
        () => write((session) => deleteSome(session, item)),
        deadline,
      );
      await deleting.catch((error: unknown) => failures.push(error));
    }
  }

  return oneAtATime(async () => {
    const failures: unknown[] = [];
    await deleteItems(failures).catch((error: unknown) => failures.push(error));
    if (failures.length === 0) return;
    logger?.warn({ err: failures[0], failures: failures.length }, message);
  });
}
