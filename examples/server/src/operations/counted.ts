/** Returns a number with its noun, such as `1 session` or `2 sessions`. */
export const counted = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;
