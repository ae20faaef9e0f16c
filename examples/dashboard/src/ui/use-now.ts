import { useEffect, useState } from "preact/hooks";
import { clockOffset } from "../api/server-clock.js";

/** Returns the server's time, updated every `everyMs`, for texts such as "3 min ago". */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + clockOffset.value;
}
