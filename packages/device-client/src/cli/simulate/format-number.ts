/** Formats a number with thousands separators, such as `1,000`. */
export const formatNumber = (value: number): string => value.toLocaleString("en-US");
