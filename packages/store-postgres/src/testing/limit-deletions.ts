import type { Client } from "pg";

/** Makes statements that delete more than `step` rows fail, until the client disconnects. */
export async function limitDeletions(client: Client, table: string, step: number): Promise<void> {
  await client.query(
    `CREATE FUNCTION pg_temp.watch_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM gone) > ${step} THEN RAISE 'too many at once'; END IF;
       RETURN NULL; END $$;
     CREATE TRIGGER watch AFTER DELETE ON device_gateway.${table}
     REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.watch_${table}()`,
  );
}
