import { Link } from "../router.js";
import { Empty } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <Empty
      whole
      title="There is no such page"
      actions={
        <Link to="/" class="button primary">
          Go to your devices
        </Link>
      }
    >
      <p>Check the address, or start from your devices.</p>
    </Empty>
  );
}
