import { type Logger, pino, stdTimeFunctions } from "pino";
import { prettyFactory } from "pino-pretty";
import { redactLine } from "./redact.js";
import type { Settings } from "./settings/settings.js";
import { toSafeLine, toSafeLines } from "./unsafe-text.js";

/** Makes every name and text within a log line safe for a terminal; a stack keeps its lines. */
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
  /** Lines for a person; otherwise one JSON object a line. */
  readonly readable: boolean;
  readonly coloured: boolean;
  readonly write: (text: string) => void;
}

/**
 * Makes the server's log. Every line has its secrets censored, and its control characters escaped, before it is
 * written.
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
    // In JSON the escapes are JSON's own: a parser gives the text back.
    write(
      readable
        ? String(pretty(toSafeValue(JSON.parse(censored)) as object))
        : toSafeLines(censored),
    );
  };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write: writeLine });
}
