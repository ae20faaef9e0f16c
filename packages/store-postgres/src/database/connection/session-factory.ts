import { createHash } from "node:crypto";
import { type ClientBase, type ClientConfig, types } from "pg";
import { defaultSchema, toSchema } from "../schema-name.js";
import type { Session } from "../statement.js";
import type { StatementSupport } from "./statement-support.js";

/** Reads 64-bit integers as numbers: epochs, positions and times stay below 2^53. */
const typeReaders: NonNullable<ClientConfig["types"]> = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown),
};

/**
 * Returns a function that converts the name of a prepared statement to its name for a schema, because stores of two
 * schemas may share a connection.
 */
function toNameIn(schema: string): (name: string) => string {
  if (schema === defaultSchema) return (name) => name;
  const names = new Map<string, string>();
  return (name) => {
    // Postgres cuts names to 63 bytes, so the schema cannot be a part of it.
    const known =
      names.get(name) ?? createHash("sha256").update(`${schema} ${name}`).digest("base64url");
    names.set(name, known);
    return known;
  };
}

/** Returns a function that creates the session of a client. The session runs statements in the given schema. */
export function createSessionFactory(
  schema: string,
  statementSupport: StatementSupport,
): (client: ClientBase) => Session {
  const toText = toSchema(schema);
  const toName = toNameIn(schema);
  return (client) => ({
    query: async <Row>(text: string, values: readonly unknown[], name?: string) => {
      const named = statementSupport.isEnabled && name !== undefined && { name: toName(name) };
      const query = { ...named, text: toText(text), values: [...values], types: typeReaders };
      try {
        return (await client.query(query)).rows as Row[];
      } catch (error) {
        if (named !== false) statementSupport.noteFailure(error);
        throw error;
      }
    },
  });
}
