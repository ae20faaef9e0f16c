import type { ChangePoller } from "../change/change-poller.js";
import type { LiveFeed } from "./live-feed.js";
import type { OpenStreams } from "./open-streams.js";

/**
 * Ends live streams when the change feed is reset: after a failover or a restored backup, the positions of new records
 * may be lower than those that the streams wait for. Clients connect again and continue from what is stored. The first
 * outcome of the feed is always a reset, so it ends nothing.
 */
export function endStreamsOnReset(
  poller: ChangePoller,
  streams: OpenStreams,
  feed: LiveFeed,
): void {
  let hasBegun = false;
  poller.subscribe(({ kind }) => {
    if (kind === "reset" && hasBegun) {
      streams.endOpen();
      // A stream whose client takes nothing at the moment still listens.
      feed.forget();
    }
    hasBegun = true;
  });
}
