import { useEffect } from "preact/hooks";
import * as shellText from "../text/shell.js";

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? shellText.productName : shellText.titleOf(title);
  }, [title]);
}
