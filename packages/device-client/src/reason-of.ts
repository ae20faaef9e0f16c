/**
 * What a fault says. Node's `fetch failed` keeps its reason in the cause; where several addresses
 * were tried, it has no message but a code.
 */
export function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { code, message } = (fault.cause ?? {}) as { code?: unknown; message?: unknown };
  const why = typeof code === "string" ? code : message;
  if (typeof why === "string") return `${fault.message} (${why})`;
  return fault.message || String((fault as { code?: unknown }).code ?? fault.name);
}
