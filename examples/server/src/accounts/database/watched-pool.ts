import type { PostgresPool, PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";

/**
 * Ends a connection whose query takes too long. pg's `query_timeout` would leave the connection in use, and its next
 * queries would wait behind the first. Postgres ends the query itself after its `statement_timeout`, which the operator
 * sets on the role if the connection goes through a pooler.
 */
function watch(client: PoolClient, timeoutMs: number): PostgresPoolClient {
  const inner: PostgresPoolClient = client;
  let expired = false;
  const expire = () => {
    expired = true;
    void client.end();
  };
  const query = async <Row>(sql: string, parameters: readonly unknown[]) => {
    const timer = setTimeout(expire, timeoutMs);
    try {
      return await inner.query<Row>(sql, parameters);
    } catch (error) {
      if (!expired) throw error;
      throw new Error("The database took too long to answer.", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    // A query with a cursor would have another form. better-auth has none.
    query: query as PostgresPoolClient["query"],
    release: (destroy = false) => client.release(destroy || expired),
  };
}

/** Returns a pool for kysely that removes a connection if a query on it takes longer than `timeoutMs`. */
export const watchPool = (pool: Pool, timeoutMs: number): PostgresPool => ({
  options: pool.options,
  connect: async () => watch(await pool.connect(), timeoutMs),
  end: () => pool.end(),
});
