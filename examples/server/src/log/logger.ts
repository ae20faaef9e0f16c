import { type Logger, pino, stdTimeFunctions } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Settings } from "../settings/settings.js";
import { redactLine } from "./redact.js";
import { toSafeLine, toSafeLines } from "./unsafe-text.js";

/** Makes every name and text in a log line safe for a terminal. A stack keeps its line breaks. */
function toSafeValue(value: unknown, name = ""): unknown {
  if (typeof value === "string") return name === "stack" ? toSafeLines(value) : toSafeLine(value);
  if (Array.isArray(value)) return value.map((each) => toSafeValue(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [toSafeLine(key), toSafeValue(inner, key)]),
  );
}

export interface LoggerOptions {
  readonly level: Settings["LOG_LEVEL"];
  /** Whether to write lines for people. Otherwise the log has one JSON object a line. */
  readonly readable: boolean;
  readonly coloured: boolean;
  readonly write: (text: string) => void;
}

/**
 * Creates the server's log. It censors secrets and escapes control characters in every line.
 */
export function createLogger({ level, readable, coloured, write }: LoggerOptions): Logger {
  const pretty = prettyFactory({
    colorize: coloured,
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
  });
  const writeLine = (line: string) => {
    const censored = redactLine(line);
    // The escapes are valid JSON, so a parser restores the text.
    write(
      readable
        ? String(pretty(toSafeValue(JSON.parse(censored)) as object))
        : toSafeLines(censored),
    );
  };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write: writeLine });
}
