import { StartError } from "../start-error.js";

/** Says what to do if an error is that a compiled module cannot be loaded, as after an upgrade of Node. */
export function explainUnloadable(cause: unknown): StartError | undefined {
  const unloadable =
    cause instanceof Error && "code" in cause && cause.code === "ERR_DLOPEN_FAILED";
  if (!unloadable) return undefined;
  return new StartError(
    `SQLite was compiled for another version of Node than this ${process.version}, or for another system. Delete the folder node_modules, and start again: npm start`,
    { cause },
  );
}
