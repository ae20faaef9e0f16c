import { type FollowerStore, mostAheadMs } from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";

type Input<Method extends keyof FollowerStore> = Exclude<
  Parameters<FollowerStore[Method]>[0],
  string
>;

const take = statement<Input<"take">, { cursor: string }>(
  `INSERT INTO device_gateway.followers AS f (name, cursor, holder, lease_until)
   VALUES (@name, '', @holder, @until)
   ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
   WHERE f.holder IS NULL OR f.holder = excluded.holder OR f.lease_until <= @at
     OR f.lease_until > greatest(@at, excluded.lease_until) + ${mostAheadMs}
   RETURNING cursor`,
);
const advance = statement<Input<"advance">, { name: string }>(
  `UPDATE device_gateway.followers SET cursor = @cursor
   WHERE name = @name AND holder = @holder RETURNING name`,
);
const release = statement<Input<"release">, object>(
  `UPDATE device_gateway.followers SET holder = NULL WHERE name = @name AND holder = @holder`,
);
const remove = statement<{ name: string }, object>(
  "DELETE FROM device_gateway.followers WHERE name = @name",
);

export function createFollowerStore({ change }: Connection): FollowerStore {
  return {
    take: (input) => change(async (session) => (await take(session, input))[0] ?? null),
    advance: (input) => change(async (session) => (await advance(session, input)).length > 0),
    release: (input) =>
      change(async (session) => {
        await release(session, input);
      }),
    remove: (name) =>
      change(async (session) => {
        await remove(session, { name });
      }),
  };
}
