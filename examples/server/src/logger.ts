import { type Logger, pino, stdTimeFunctions } from "pino";
import { prettyFactory } from "pino-pretty";
import { redactLine } from "./redact.js";
import type { Settings } from "./settings/settings.js";

export interface LoggerOptions {
  readonly level: Settings["LOG_LEVEL"];
  /** Lines for a person; otherwise one JSON object a line. */
  readonly readable: boolean;
  readonly coloured: boolean;
  readonly write: (text: string) => void;
}

/** Makes the server's log. Every line has its secrets censored before it is written. */
export function createLogger({ level, readable, coloured, write }: LoggerOptions): Logger {
  const pretty = prettyFactory({
    colorize: coloured,
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss",
    singleLine: true,
  });
  const writeLine = (line: string) => {
    const censored = redactLine(line);
    write(readable ? String(pretty(JSON.parse(censored))) : censored);
  };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, { write: writeLine });
}
