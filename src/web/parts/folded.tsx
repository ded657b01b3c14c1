import { type ReactNode, useState } from "react";
import { formatCount } from "./format.ts";

/** Longer machine-written texts (tool results and system prompts) start folded. */
export const FOLDED_LINES = 20;

/** The first lines of a text. Undefined if it has no more than `lines`. */
export function firstLines(text: string, lines: number): string | undefined {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at === text.length - 1) return undefined;
  }
  return text.slice(0, at);
}

/** A long text's first lines with a button that shows all of it; a short text unchanged. */
export function Folded({ text, children }: { readonly text: string; readonly children: (text: string) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const beginning = firstLines(text, FOLDED_LINES);
  if (beginning === undefined) return children(text);
  return (
    <>
      {children(isOpen ? text : beginning)}
      <button type="button" className="small long" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? `Show the first ${FOLDED_LINES} lines` : `Show all ${formatCount(text.split("\n").length)} lines`}
      </button>
    </>
  );
}
