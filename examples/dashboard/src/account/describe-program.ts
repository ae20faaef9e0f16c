import * as programText from "../text/program.js";

const programs = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
] as const;
const systems = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

const find = (names: typeof programs | typeof systems, text: string) =>
  names.find(([mark]) => text.includes(mark))?.[1];

/**
 * Describes a `User-Agent` in known words, such as "Firefox on Linux". The text itself is the client's choice, so it must
 * not reach a mail.
 */
export function describeProgram(userAgent: string): string {
  const program = find(programs, userAgent) ?? programText.unknownProgram;
  const system = find(systems, userAgent);
  return system === undefined ? program : programText.on(program, system);
}
