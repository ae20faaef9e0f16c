/** Thrown between two pieces of work if nobody waits for their result any more. It is not a fault of what did the work. */
export class UnwantedWorkError extends Error {}
