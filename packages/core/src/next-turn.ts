/** Lets other requests have their turn: answers of a store in the same process are no pause by themselves. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
