import { useEffect, useState } from "preact/hooks";

const read = () => new URLSearchParams(location.hash.slice(1));

/**
 * Returns the parameters in the fragment of a link in an e-mail. Browsers do not send the fragment to
 * the server. A fragment without a token, such as that of "Skip to content", does not change them.
 */
export function useFragment(): URLSearchParams {
  const [parameters, setParameters] = useState(read);
  useEffect(() => {
    const onChange = () => {
      const next = read();
      if (next.has("token")) setParameters(next);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return parameters;
}
