import { CliError, exitCodes } from "../command.js";

/** Parses a percentage, a whole number. @throws {CliError} if it is invalid. */
export function readPercent(what: string, text: string): number {
  const match = /^(\d{1,3}) ?%?$/.exec(text);
  const percent = Number(match?.[1] ?? Number.NaN);
  if (percent <= 100) return percent;
  throw new CliError(`${what}: "${text}" is not a whole number from 0 to 100.`, exitCodes.usage);
}
