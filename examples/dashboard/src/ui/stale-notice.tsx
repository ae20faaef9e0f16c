import * as shellText from "../text/shell.js";
import { formatTime } from "./format.js";
import { ErrorNotice } from "./parts.js";
import type { Loaded } from "./use-load.js";

/** Says that the shown value could not be refreshed, and when it was read. Shows nothing while the server answers. */
export const StaleNotice = ({
  failure,
  at,
  reload,
}: Pick<Loaded<unknown>, "failure" | "at" | "reload">) => (
  <>
    <ErrorNotice failure={failure} retry={reload} />
    {failure && at > 0 && <p class="small muted">{shellText.lastUpdate(formatTime(at))}</p>}
  </>
);
