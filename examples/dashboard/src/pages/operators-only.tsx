import { Link } from "../router.js";
import { EmptyState } from "../ui/parts.js";

export const OperatorsOnly = () => (
  <EmptyState
    whole
    title="Operators only"
    actions={
      <Link to="/" class="button">
        Your devices
      </Link>
    }
  >
    <p>
      Ask the administrator of this server to add your verified e-mail address to OPERATOR_EMAILS.
    </p>
  </EmptyState>
);
