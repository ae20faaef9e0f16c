import { Link } from "../router.js";
import { Empty } from "../ui/parts.js";

export const OperatorsOnly = () => (
  <Empty
    whole
    title="This is for operators"
    actions={
      <Link to="/" class="button">
        Your devices
      </Link>
    }
  >
    <p>Ask whoever runs this server to add your verified address to OPERATOR_EMAILS.</p>
  </Empty>
);
