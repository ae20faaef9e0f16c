/** The exit codes of commands. 2 means invalid arguments or settings. */
export const [done, failed, misused] = [0, 1, 2] as const;
