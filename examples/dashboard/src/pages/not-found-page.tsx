import { Link } from "../router.js";
import { EmptyState } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <EmptyState
      whole
      title="Page not found"
      actions={
        <Link to="/" class="button primary">
          Go to your devices
        </Link>
      }
    >
      <p>Check the address, or go to your devices.</p>
    </EmptyState>
  );
}
