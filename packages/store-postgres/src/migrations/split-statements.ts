/**
 * Splits a migration into its statements, each of which ends a line with a semicolon. Citus forwards statements to other
 * nodes only if they are sent one by one.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = "";
  for (const line of sql.split("\n")) {
    current += `${line}\n`;
    const isInBody = current.split("$$").length % 2 === 0;
    if (isInBody || !line.replace(/--.*/, "").trimEnd().endsWith(";")) continue;
    statements.push(current.trim());
    current = "";
  }
  return current.trim() === "" ? statements : [...statements, current.trim()];
}
