import { Link } from "../router.js";
import { EmptyState } from "../ui/parts.js";

export const OperatorsOnly = () => (
  <EmptyState
    whole
    title="This is for operators"
    actions={
      <Link to="/" class="button">
        Your devices
      </Link>
    }
  >
    <p>Ask whoever runs this server to add your verified address to OPERATOR_EMAILS.</p>
  </EmptyState>
);
