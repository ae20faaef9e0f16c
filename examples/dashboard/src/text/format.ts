import { plural } from "./plural.js";

const dayForms = { one: "day", other: "days" };

export const justNow = "just now";
export const secondsAgo = (passed: number) => `${passed} s ago`;
export const minutesAgo = (passed: number) => `${passed} min ago`;
export const hoursAgo = (passed: number) => `${passed} h ago`;
export const daysAgo = (passed: number) => `${passed} ${plural(passed, dayForms)} ago`;
export const seconds = (duration: number) => `${duration} s`;
export const minutes = (duration: string) => `${duration} min`;
export const hours = (duration: string) => `${duration} h`;
/** `shown` is the formatted count. */
export const days = (count: number, shown: string) => `${shown} ${plural(count, dayForms)}`;
export const byteUnits = ["bytes", "KB", "MB", "GB"];
