/** Rules that one owner, or all operators together, may have. */
export const mostRules = 50;
/**
 * Rules that one owner, or all operators together, may create in a minute, and in quick succession (§9). A new rule
 * starts with its full budget of alerts. Without this limit, rules that are deleted and created again could fire any
 * number of alerts. The burst is enough to create all rules and then replace each once.
 */
export const newRules = { perMinute: 2, burst: 2 * mostRules } as const;
/** Alerts that one step of a removal deletes. Few enough that requests are not delayed. */
export const removalStep = 500;
/** How often a change runs while other processes change the rule. After that, the client must retry. */
export const mostChangeRuns = 5;
