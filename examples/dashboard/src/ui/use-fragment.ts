import { useEffect, useState } from "preact/hooks";

const read = () => new URLSearchParams(location.hash.slice(1));

/**
 * What a mailed link carries in its fragment, which a browser sends to nobody. A fragment without
 * a token, such as that of "Skip to content", leaves it as it is.
 */
export function useFragment(): URLSearchParams {
  const [carried, setCarried] = useState(read);
  useEffect(() => {
    const onChange = () => {
      const next = read();
      if (next.has("token")) setCarried(next);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return carried;
}
