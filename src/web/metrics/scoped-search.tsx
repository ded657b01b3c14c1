import { useState } from "react";
import { SearchBox } from "../parts/search-box.tsx";

interface ScopedSearchProps {
  /** Label of the search by name. */
  readonly label: string;
  readonly q: string | undefined;
  readonly words: string | undefined;
  readonly onSearch: (next: { readonly q: string | undefined; readonly words: string | undefined }) => void;
}

/** One search box, for names or for words in contents. */
export function ScopedSearch({ label, q, words, onSearch }: ScopedSearchProps) {
  const [isWords, setWords] = useState(words !== undefined);
  const text = (isWords ? words : q) ?? "";
  const search = (next: string, inWords: boolean) =>
    onSearch({ q: inWords ? undefined : next || undefined, words: inWords ? next || undefined : undefined });
  return (
    <>
      <select
        aria-label="Search in"
        value={isWords ? "words" : "names"}
        onChange={({ target }) => {
          const inWords = target.value === "words";
          setWords(inWords);
          if (text !== "") search(text, inWords);
        }}
      >
        <option value="names">Names and ids</option>
        <option value="words">Words</option>
      </select>
      <SearchBox
        label={isWords ? "Search input and output" : label}
        value={text}
        onSearch={(next) => search(next, isWords)}
      />
    </>
  );
}
