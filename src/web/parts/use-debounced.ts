import { useEffect, useState } from "react";

/** Typing is over when no key has come for so long. */
export const PAUSE_MS = 250;

/** A value once it has stayed as it is for a moment, so that not every key asks something. */
export function useDebounced<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
