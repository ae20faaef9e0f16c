import { Link } from "../../router.js";
import * as shellText from "../../text/shell.js";
import { EmptyState } from "../../ui/parts.js";

export const OperatorsOnly = () => (
  <EmptyState
    whole
    title={shellText.operatorsOnly}
    actions={
      <Link to="/" class="button">
        {shellText.yourDevices}
      </Link>
    }
  >
    <p>{shellText.operatorsOnlyHint}</p>
  </EmptyState>
);
