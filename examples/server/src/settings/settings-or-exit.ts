import { resolve } from "node:path";
import { type Environment, readSettings } from "./read-settings.js";
import type { Settings } from "./settings.js";
import { typedFolder } from "./typed-folder.js";

export interface StartArguments {
  readonly environment: Environment;
  /** `--demo` starts the demo gateway unless DEMO says otherwise. `npm start` passes it. */
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly write: (line: string) => void;
  readonly exit: (code: number) => never;
}

/** Reads the settings that the process was started with. If one is invalid, prints what is wrong and exits with 2. */
export function settingsOrExit(start: StartArguments): Settings {
  const { environment, folder, write, exit } = start;
  const demo = environment["DEMO"]?.trim() || (start.arguments.includes("--demo") ? "1" : "");
  const reading = readSettings({ ...environment, DEMO: demo });
  if (reading.kind === "unusable") {
    const { problems, warnings } = reading;
    write(
      `The server did not start, because ${problems.length === 1 ? "a setting is" : "some settings are"} invalid:`,
    );
    for (const line of [...problems, ...warnings]) write(`  ${line}`);
    return exit(2);
  }
  for (const warning of reading.warnings) write(`Warning: ${warning}`);
  const base = typedFolder(environment, folder);
  const { DATA_DIR, FIRMWARE_DIR, FIRMWARE_KEYS, COMMANDS_FILE } = reading.settings;
  return {
    ...reading.settings,
    DATA_DIR: resolve(base, DATA_DIR),
    FIRMWARE_DIR: FIRMWARE_DIR && resolve(base, FIRMWARE_DIR),
    FIRMWARE_KEYS: FIRMWARE_KEYS && resolve(base, FIRMWARE_KEYS),
    COMMANDS_FILE: COMMANDS_FILE && resolve(base, COMMANDS_FILE),
  };
}
