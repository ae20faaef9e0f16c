import {
  canonicalJson,
  type MetricDescriptions,
  type MetricStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareEventWriter } from "../device/security-event-store.js";

interface Row {
  readonly targetHardware: string;
  readonly content: string;
}

const toText = (descriptions: MetricDescriptions | null) =>
  descriptions && canonicalJson(descriptions);

export function createMetricStore({ database, read, write }: Connection): MetricStore {
  const writeEvent = prepareEventWriter(database);
  const select = database
    .prepare<[string], string>("SELECT content FROM metric_descriptions WHERE target_hardware = ?")
    .pluck();
  const set = database.prepare<[Row]>(
    `INSERT INTO metric_descriptions (target_hardware, content) VALUES (@targetHardware, @content)
     ON CONFLICT (target_hardware) DO UPDATE SET content = @content`,
  );
  const remove = database.prepare<[string]>(
    "DELETE FROM metric_descriptions WHERE target_hardware = ?",
  );

  return {
    find: (targetHardware) =>
      read(() => {
        const content = select.get(targetHardware);
        return content === undefined ? null : (JSON.parse(content) as MetricDescriptions);
      }),

    // The write lock makes it atomic: nobody else writes between these statements.
    replace: ({ targetHardware, expected, next, event }) =>
      write(() => {
        if ((select.get(targetHardware) ?? null) !== toText(expected)) return { kind: "conflict" };
        const content = toText(next);
        if (content === null) remove.run(targetHardware);
        else set.run({ targetHardware, content });
        writeEvent(event);
        return { kind: "replaced" };
      }),
  };
}
