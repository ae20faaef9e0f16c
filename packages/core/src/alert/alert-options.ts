/** Rules that one owner, or all operators together, may have. */
export const mostRules = 50;
/** Alerts that one step of a removal deletes. Few enough that requests are not delayed. */
export const removalStep = 500;
