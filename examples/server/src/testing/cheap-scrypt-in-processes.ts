/** Runs before the program and replaces scrypt, as `useCheapScrypt` does in the process of the tests. */
const preloaded = `
  import crypto from "node:crypto";
  import { syncBuiltinESMExports } from "node:module";
  const { scrypt } = crypto;
  crypto.scrypt = (password, salt, length, _, done) => scrypt(password, salt, length, { N: 16 }, done);
  syncBuiltinESMExports();`;

/**
 * Environment variables with which a Node process runs scrypt at its lowest cost, for passwords and claim codes. At
 * production cost, each registration and each claim takes a quarter of a second of CPU time.
 */
export const cheapScryptInProcesses = {
  NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=data:text/javascript,${encodeURIComponent(preloaded)}`,
} as const;
