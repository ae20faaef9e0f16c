/** All kinds of callers. */
export const actorNames = [
  "owner",
  "stranger",
  "former owner",
  "the device",
  "another device",
  "operator",
  "nobody",
  "unverified customer",
  "owner's browser, from another site",
  "operator's browser, from another site",
] as const;
export type ActorName = (typeof actorNames)[number];
