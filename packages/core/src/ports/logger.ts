export type LogFields = Readonly<Record<string, unknown>>;

/** The destination of log lines, such as a pino logger. It never receives a secret. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const nothing = () => {};
/** A logger that discards every line. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
