export type LogFields = Readonly<Record<string, unknown>>;

/** Where log lines go: pino and console-like loggers fit. Never given a secret. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const nothing = () => {};
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
