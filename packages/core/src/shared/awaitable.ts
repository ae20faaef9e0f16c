/**
 * A value that is usually available at once, and sometimes a promise. It avoids the cost of a promise for each call.
 */
export type Awaitable<Value> = Value | Promise<Value>;
