import type { IconName } from "../parts/icon.tsx";

/** Something that the palette leads to or does. */
export interface Entry {
  /** Unlike that of any other entry. */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly icon: IconName;
  /** More words that find it. */
  readonly words?: string;
  readonly run: () => void;
}

const LISTED_MAX = 60;

/** Entries that have every word, those whose label begins with the text first; otherwise in their order. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    const known = `${entry.label} ${entry.group} ${entry.words ?? ""}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
  const begins = (entry: Entry) => words.length > 0 && entry.label.toLowerCase().startsWith(words[0]!);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))].slice(0, LISTED_MAX);
}
