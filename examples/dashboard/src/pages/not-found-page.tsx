import { Link } from "../router.js";
import * as shellText from "../text/shell.js";
import { EmptyState } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

export function NotFoundPage() {
  useTitle(shellText.notFound);
  return (
    <EmptyState
      whole
      title={shellText.pageNotFound}
      actions={
        <Link to="/" class="button primary">
          {shellText.goToDevices}
        </Link>
      }
    >
      <p>{shellText.pageNotFoundHint}</p>
    </EmptyState>
  );
}
