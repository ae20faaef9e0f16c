import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as shellText from "./text/shell.js";
import { ErrorNotice } from "./ui/parts.js";

const failure = { message: shellText.partNotLoaded };

/** Returns a component whose script is loaded when it is first shown. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Part !== undefined) return;
      load().then(
        (part) => {
          loaded = part;
          setPart(() => part);
        },
        () => setFailed(true),
      );
    }, [Part]);
    if (failed) return <ErrorNotice failure={failure} retry={() => location.reload()} />;
    return Part === undefined ? <div aria-busy="true" /> : <Part {...props} />;
  };
}
