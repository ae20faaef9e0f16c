/** What is there at once mostly, and takes its time now and then: a promise for each would cost. */
export type Awaitable<Value> = Value | Promise<Value>;
