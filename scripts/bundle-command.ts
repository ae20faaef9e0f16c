import { rm } from "node:fs/promises";
import { bundlePrograms } from "./bundle-programs.js";

/** A bundle of the command `device-gateway`. */
export interface BundledCommand {
  /** The path of the program, for `node`. */
  readonly program: string;
  remove(): Promise<void>;
}

/** Bundles the command `device-gateway` from its sources, with the test cloud that it loads. */
export async function bundleCommand(): Promise<BundledCommand> {
  const entry = "packages/device-client/src/cli/main.ts";
  // The program reads its version from the package two folders above.
  const { folder, program } = await bundlePrograms([entry], { within: "packages/device-client" });
  return { program: program(entry), remove: () => rm(folder, { recursive: true }) };
}
