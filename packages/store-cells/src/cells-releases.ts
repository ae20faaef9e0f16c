import { type Release, type ReleaseStore, StoreUnavailableError } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import type { Copies } from "./copies.js";
import { askAvailable } from "./fan-out.js";

/** Returns the copy with the highest revision, or null. */
const newestOf = (copies: readonly (Release | null)[]): Release | null =>
  copies.reduce((a, b) => ((b?.revision ?? 0) > (a?.revision ?? 0) ? b : a), null);

/**
 * The home has the releases. While it is not available, the cells' copies are read, so that known offers continue. A cell
 * that was down may have an old copy, so the newest copy of all available cells counts.
 */
export function createCellsReleases({ home, cells }: Cells, copies: Copies): ReleaseStore {
  async function readCells<Found>(
    read: (releases: ReleaseStore) => Promise<Found>,
  ): Promise<readonly Found[]> {
    const found = await askAvailable(cells, ({ releases }) => read(releases));
    if (found.length === 0) throw new StoreUnavailableError("No database is available.");
    return found.map(({ answer }) => answer);
  }

  const findCopy = async (id: number) => newestOf(await readCells((releases) => releases.find(id)));

  /** Returns the releases whose newest copy is active. The lists of two cells differ in those that one of them missed. */
  async function offerableCopies(): Promise<readonly Release[]> {
    const lists = await readCells((releases) => releases.offerable());
    const ids = [...new Set(lists.flat().map(({ id }) => id))].sort((a, b) => a - b);
    const newest = await Promise.all(
      ids.map(async (id) => {
        const [first, ...others] = lists.map((list) => list.find((release) => release.id === id));
        const isSame = others.every((release) => release?.revision === first?.revision);
        return isSame ? first : findCopy(id);
      }),
    );
    return newest.flatMap((release) => (release?.status === "active" ? [release] : []));
  }

  async function homeOrCopies<Found>(
    read: (releases: ReleaseStore) => Promise<Found>,
    readCopies: () => Promise<Found>,
  ): Promise<Found> {
    try {
      return await read(home.releases);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return readCopies();
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
    find: (id) =>
      homeOrCopies(
        (releases) => releases.find(id),
        () => findCopy(id),
      ),
    offerable: () => homeOrCopies((releases) => releases.offerable(), offerableCopies),
    list: (input) => home.releases.list(input),
  };
}
