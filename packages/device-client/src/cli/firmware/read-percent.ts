import { CliError, exitCodes } from "../command.js";

/** A whole number of percent. @throws {CliError} when it is none. */
export function readPercent(what: string, text: string): number {
  const match = /^(\d{1,3}) ?%?$/.exec(text);
  const percent = Number(match?.[1] ?? Number.NaN);
  if (percent <= 100) return percent;
  throw new CliError(`${what}: "${text}" is no whole number from 0 to 100.`, exitCodes.usage);
}
