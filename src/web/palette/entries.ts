import type { IconName } from "../parts/icon.tsx";

/** A page or an action in the palette. */
export interface Entry {
  /** Unique among all entries. */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly icon: IconName;
  /** More search words. */
  readonly words?: string;
  readonly run: () => void;
}

const LISTED_MAX = 60;

/** Entries that match every word; those whose label begins with the text come first, otherwise in their order. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    const known = `${entry.label} ${entry.group} ${entry.words ?? ""}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
  const begins = (entry: Entry) => words.length > 0 && entry.label.toLowerCase().startsWith(words[0]!);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))].slice(0, LISTED_MAX);
}
