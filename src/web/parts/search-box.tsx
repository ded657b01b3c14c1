import { type RefObject, useEffect, useState } from "react";
import { PAUSE_MS } from "./use-debounced.ts";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  /** Told a moment after the last key, and at once on Enter. */
  readonly onSearch: (text: string) => void;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
}

export function SearchBox({ label, value, onSearch, inputRef }: SearchBoxProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // Only another text is worth waiting for: what the page does with it may be another function each time.
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      ref={inputRef}
      className="search-box"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onSearch(text);
        // Back to where the other keys mean something.
        if (event.key === "Escape" && text === "") event.currentTarget.blur();
      }}
    />
  );
}
