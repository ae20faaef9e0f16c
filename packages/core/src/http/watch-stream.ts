import type { Result } from "neverthrow";
import type { Failure } from "../shared/failure.js";
import type { Answer } from "./render.js";
import type { Piece } from "./request/message.js";

/** Reports a stream that breaks off. Nothing else would, because its response has already started. */
export function watchStream(
  pieces: AsyncIterable<Piece>,
  onFault: (fault: unknown) => void,
): AsyncIterable<Piece> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      const release = async (): Promise<IteratorResult<Piece>> =>
        (await iterator.return?.()) ?? { done: true, value: undefined };
      return {
        async next() {
          try {
            return await iterator.next();
          } catch (fault) {
            onFault(fault);
            throw fault;
          }
        },
        return: release,
        // The transport calls this if the client takes nothing.
        throw(fault: unknown) {
          onFault(fault);
          return release();
        },
      };
    },
  };
}

/** Ends a stream that will not be read. Never rejects: the stream's response does not depend on its end. */
export async function cancelStream(pieces: AsyncIterable<Piece>): Promise<void> {
  try {
    await pieces[Symbol.asyncIterator]().return?.();
  } catch {
    // Nobody waits for the end of the stream.
  }
}

/** Cancels the stream of a response that came after its deadline, so that it holds no resources. */
export function cancelLate(late: Result<Answer, Failure>): void {
  if (late.isErr() || late.value.stream === undefined) return;
  void cancelStream(late.value.stream);
}
