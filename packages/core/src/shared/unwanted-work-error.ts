/**
 * Thrown between two pieces of work if nobody waits for their result any more. It does not mean that the work failed.
 */
export class UnwantedWorkError extends Error {}
