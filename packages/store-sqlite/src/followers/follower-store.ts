import { type FollowerStore, mostAheadMs } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";

type Input<Method extends keyof FollowerStore> = Parameters<FollowerStore[Method]>[0];

export function createFollowerStore({ database, write }: Connection): FollowerStore {
  const take = database.prepare<[Input<"take">], { cursor: string }>(
    `INSERT INTO followers (name, cursor, holder, lease_until) VALUES (@name, '', @holder, @until)
     ON CONFLICT (name) DO UPDATE SET holder = @holder, lease_until = @until
     WHERE holder IS NULL OR holder = @holder OR lease_until <= @at
       OR lease_until > max(@at, @until) + ${mostAheadMs}
     RETURNING cursor`,
  );
  const advance = database.prepare<[Input<"advance">]>(
    "UPDATE followers SET cursor = @cursor WHERE name = @name AND holder = @holder",
  );
  const release = database.prepare<[Input<"release">]>(
    "UPDATE followers SET holder = NULL WHERE name = @name AND holder = @holder",
  );
  const remove = database.prepare<[string]>("DELETE FROM followers WHERE name = ?");
  return {
    take: (input) => write(() => take.get(input) ?? null),
    advance: (input) => write(() => advance.run(input).changes > 0),
    release: (input) => write(() => void release.run(input)),
    remove: (name) => write(() => void remove.run(name)),
  };
}
