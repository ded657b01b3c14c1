import { type RefObject, useEffect, useState } from "react";
import { PAUSE_MS } from "./use-debounced.ts";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  /** Called shortly after the last key, and immediately on Enter. */
  readonly onSearch: (text: string) => void;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
}

export function SearchBox({ label, value, onSearch, inputRef }: SearchBoxProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // Only a new text restarts the wait: `onSearch` may be another function in each render.
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
        // Leaves the input, so that the page's shortcuts work again.
        if (event.key === "Escape" && text === "") event.currentTarget.blur();
      }}
    />
  );
}
