/** Formats a number of things, such as `1,000 devices`. */
export const formatCount = (number: number, what: string): string =>
  `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
