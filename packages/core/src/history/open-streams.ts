/** Counts each user's open live streams. */
export type OpenStreams = Map<string, number>;
