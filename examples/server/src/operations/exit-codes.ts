/** Exit codes of commands, as for settings: 2 when what was asked makes no sense. */
export const [done, failed, misused] = [0, 1, 2] as const;
