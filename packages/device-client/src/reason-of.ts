/**
 * What a fault says. Node's `fetch failed` keeps its reason in the cause, which has no message but
 * a code when several addresses were tried.
 */
export function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { code, message } = (fault.cause ?? {}) as { code?: unknown; message?: unknown };
  const why = typeof code === "string" ? code : message;
  return typeof why === "string" ? `${fault.message} (${why})` : fault.message;
}
