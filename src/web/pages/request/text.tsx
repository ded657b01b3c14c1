import { createContext, lazy, Suspense, useContext, useState } from "react";
import { formatCount } from "../../parts/format.ts";

/** Loaded with the first rendered text. */
const Markdown = lazy(() => import("../../parts/markdown.tsx"));

export const TEXT_FORMS = { rendered: "Rendered", raw: "Raw" } as const;
export type TextForm = keyof typeof TEXT_FORMS;
/** How the choice is remembered; the first is the default. */
export const TEXT_FORM = ["text-form", ["rendered", "raw"]] as const satisfies readonly [string, readonly TextForm[]];

/** How the texts of a conversation are shown. */
export const ShownAs = createContext<TextForm>("raw");

/** Texts up to this length are shown completely; longer ones start with their beginning, and grow by this many characters at a time. */
export const WHOLE_CHARS_MAX = 20_000;
const BEGINNING_CHARS = 2_000;
const MORE_CHARS = 100_000;

/** A message's text, rendered as Markdown or verbatim. Texts that are too long to render are shown verbatim. */
export function Text({ text }: { readonly text: string }) {
  const form = useContext(ShownAs);
  const [chars, setChars] = useState(BEGINNING_CHARS);
  const plain = <p className="text">{text}</p>;
  if (text.length <= WHOLE_CHARS_MAX) {
    if (form === "raw") return plain;
    return (
      <Suspense fallback={plain}>
        <Markdown text={text} />
      </Suspense>
    );
  }
  const left = text.length - chars;
  if (left <= 0) return plain;
  return (
    <>
      <p className="text">{text.slice(0, chars)}…</p>
      <button type="button" className="small long" onClick={() => setChars(chars + MORE_CHARS)}>
        {left <= MORE_CHARS
          ? `Show all ${formatCount(text.length)} characters`
          : `Show ${formatCount(MORE_CHARS)} more of ${formatCount(text.length)} characters`}
      </button>
    </>
  );
}
