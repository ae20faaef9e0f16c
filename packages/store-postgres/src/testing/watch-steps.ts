import type { Client } from "pg";

/** Has deletions of more rows at once than a step's fail, until the client's connection ends. */
export async function watchSteps(client: Client, table: string, step: number): Promise<void> {
  await client.query(
    `CREATE FUNCTION pg_temp.watch_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM gone) > ${step} THEN RAISE 'too many at once'; END IF;
       RETURN NULL; END $$;
     CREATE TRIGGER watch AFTER DELETE ON device_gateway.${table}
     REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.watch_${table}()`,
  );
}
