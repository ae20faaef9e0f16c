/** Rules that one owner, or all operators together, may have. */
export const mostRules = 50;
/**
 * Rules that one owner, or all operators together, may create in a minute, and in quick succession (§9). A new rule may
 * fire as often as no rule before it had fired, so without this limit, replaced rules would fire any number of alerts.
 * The burst is enough to create all rules, and then to replace each.
 */
export const newRules = { perMinute: 2, burst: 2 * mostRules } as const;
/** Alerts that one step of a removal deletes. Few enough that requests are not delayed. */
export const removalStep = 500;
