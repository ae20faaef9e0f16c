export function ReleasesPage() {
  return null;
}
