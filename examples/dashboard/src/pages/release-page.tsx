export function ReleasePage(_: { releaseId: string }) {
  return null;
}
