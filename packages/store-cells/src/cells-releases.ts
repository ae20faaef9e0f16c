import { type ReleaseStore, StoreUnavailableError } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import type { Copies } from "./copies.js";
import { askAll } from "./fan-out.js";

/** The home has the releases. While it is not available, a cell's copy is read, so that known offers continue. */
export function createCellsReleases({ home, cells }: Cells, copies: Copies): ReleaseStore {
  async function readCopy<Found>(read: (releases: ReleaseStore) => Promise<Found>): Promise<Found> {
    try {
      return await read(home.releases);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return askAll(
        cells,
        ({ releases }) => read(releases),
        () => true,
      );
    }
  }

  return {
    async create(input) {
      const outcome = await home.releases.create(input);
      if (outcome.kind === "created") await copies.copySoon(input.event.at);
      return outcome;
    },
    async change(input) {
      const outcome = await home.releases.change(input);
      if (outcome.kind === "changed") await copies.copySoon(input.event.at);
      return outcome;
    },
    find: (id) => readCopy((releases) => releases.find(id)),
    offerable: () => readCopy((releases) => releases.offerable()),
    list: (input) => home.releases.list(input),
  };
}
