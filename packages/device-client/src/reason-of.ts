/**
 * Returns the reason of a fault as text. Node's `fetch failed` has the reason in its cause. If several
 * addresses were tried, that cause has a code but no message.
 */
export function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { code, message } = (fault.cause ?? {}) as { code?: unknown; message?: unknown };
  const why = typeof code === "string" ? code : message;
  if (typeof why === "string") return `${fault.message} (${why})`;
  return fault.message || String((fault as { code?: unknown }).code ?? fault.name);
}
