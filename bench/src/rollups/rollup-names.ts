import type { Database } from "better-sqlite3";

/** Lists of metrics, each stored once; a number that is no metric keeps its place. */
export function prepareRollupNames(database: Database) {
  database.exec(
    "CREATE TABLE IF NOT EXISTS rollup_lists (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE) STRICT",
  );
  const insert = database
    .prepare<[string], number>(
      "INSERT INTO rollup_lists (names) VALUES (?) ON CONFLICT DO UPDATE SET id = id RETURNING id",
    )
    .pluck();
  const ids = new Map<string, number>();
  const lists = new Map<number, readonly (string | null)[]>();
  return {
    idOf(names: readonly (string | null)[]): number {
      const key = JSON.stringify(names);
      let id = ids.get(key);
      if (id === undefined) {
        id = insert.get(key) as number;
        ids.set(key, id);
        lists.set(id, names);
      }
      return id;
    },
    get: (id: number): readonly (string | null)[] => lists.get(id) ?? [],
    /** Where the metrics of a chart are in a list, ascending; looked up once a list. */
    places(metrics: readonly string[]) {
      const known = new Map<number, readonly { place: number; metric: number }[]>();
      return (id: number) => {
        let places = known.get(id);
        if (places === undefined) {
          const names = lists.get(id) ?? [];
          places = metrics
            .map((name, metric) => ({ place: names.indexOf(name), metric }))
            .filter(({ place }) => place >= 0)
            .sort((a, b) => a.place - b.place);
          known.set(id, places);
        }
        return places;
      };
    },
  };
}
