/** A number as people read it. */
export const count = (value: number): string => value.toLocaleString("en-US");
