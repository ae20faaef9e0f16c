import type { Environment } from "./read-settings.js";

/** Returns the folder where the command was typed. Package scripts run in another folder, but paths refer to this one. */
export const typedFolder = (environment: Environment, folder: string): string =>
  environment["INIT_CWD"] || folder;
