import type { Database } from "better-sqlite3";
import { follow, type Plan, planOf } from "../encoding/plan.js";
import { type Shape, takeApart, toShape } from "../encoding/skeleton.js";
import type { JsonObject } from "../record.js";

interface Taken {
  readonly shape: number;
  readonly numbers: readonly number[];
  readonly strings: readonly string[];
}

/** Skeletons of records, each stored once. */
export function prepareShapes(database: Database) {
  database.exec(
    "CREATE TABLE shapes (id INTEGER PRIMARY KEY, skeleton TEXT NOT NULL UNIQUE) STRICT",
  );
  const insert = database.prepare<[string]>("INSERT INTO shapes (skeleton) VALUES (?)");
  const find = database
    .prepare<[string], number>("SELECT id FROM shapes WHERE skeleton = ?")
    .pluck();
  const read = database
    .prepare<[number], string>("SELECT skeleton FROM shapes WHERE id = ?")
    .pluck();
  const ids = new Map<string, number>();
  const shapes = new Map<number, Shape>();
  /** Those that came last, for a guess. */
  const recent: { plan: Plan; id: number }[] = [];

  function guess(value: JsonObject): Taken | undefined {
    for (const [n, candidate] of recent.entries()) {
      const numbers: number[] = [];
      const strings: string[] = [];
      if (!follow(candidate.plan, value, numbers, strings)) continue;
      if (n > 0) recent.unshift(...recent.splice(n, 1));
      return { shape: candidate.id, numbers, strings };
    }
    return undefined;
  }

  return {
    takeApart(value: JsonObject): Taken {
      const guessed = guess(value);
      if (guessed !== undefined) return guessed;
      const { skeleton, numbers, strings } = takeApart(value);
      let shape = ids.get(skeleton) ?? find.get(skeleton);
      shape ??= Number(insert.run(skeleton).lastInsertRowid);
      ids.set(skeleton, shape);
      recent.unshift({ plan: planOf(value), id: shape });
      recent.length = Math.min(recent.length, 16);
      return { shape, numbers, strings };
    },
    get(id: number): Shape {
      let shape = shapes.get(id);
      if (shape === undefined) {
        shape = toShape(id, read.get(id) as string);
        shapes.set(id, shape);
      }
      return shape;
    },
  };
}

export type Shapes = ReturnType<typeof prepareShapes>;

/** Finds the places of metrics in the numbers of a shape, once a shape. */
export function createPlaces(shapes: Shapes, metrics: readonly string[]) {
  const known = new Map<number, readonly { place: number; metric: number }[]>();
  return (id: number): readonly { place: number; metric: number }[] => {
    let places = known.get(id);
    if (places === undefined) {
      const { names } = shapes.get(id);
      places = metrics
        .map((name, metric) => ({ place: names.indexOf(name), metric }))
        .filter(({ place }) => place >= 0)
        .sort((a, b) => a.place - b.place);
      known.set(id, places);
    }
    return places;
  };
}
