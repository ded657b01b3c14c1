import { useEffect, useState } from "react";

/** Typing counts as finished after a pause of this length. */
export const PAUSE_MS = 250;

/** A value once it has been stable for a moment, so that not every key sends a request. */
export function useDebounced<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
