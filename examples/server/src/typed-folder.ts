import type { Environment } from "./settings/read-settings.js";

/** Where the command was typed. Scripts run in their package's folder, but a path means this one. */
export const typedFolder = (environment: Environment, folder: string): string =>
  environment["INIT_CWD"] || folder;
