import { lazy, Suspense } from "react";
import { CopyButton } from "./copy-button.tsx";
import { formatCount } from "./format.ts";

interface CodeProps {
  readonly text: string;
  /** Its heading, and its name for screen readers. */
  readonly label: string;
  /** The text for Copy, if only a part of it is shown. */
  readonly whole?: string;
  /** The text as a value, shown as a coloured tree that folds. */
  readonly value?: object;
}

/** Loaded when the first value is shown. */
const JsonTree = lazy(() => import("./json-tree.tsx"));

/** Characters of a longer text that are put into the page. */
const SHOWN_CHARS_MAX = 400_000;

/** Text to read and to copy, shown verbatim whatever it contains. */
export function Code({ text, label, whole = text, value }: CodeProps) {
  const left = text.length - SHOWN_CHARS_MAX;
  const plain = (
    <pre>
      <code>{left > 0 ? text.slice(0, SHOWN_CHARS_MAX) : text}</code>
    </pre>
  );
  return (
    <figure className="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={whole} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        {value === undefined || left > 0 ? (
          plain
        ) : (
          <Suspense fallback={plain}>
            <JsonTree value={value} label={label} />
          </Suspense>
        )}
        {left > 0 ? <p className="muted">… and {formatCount(left)} characters more, which Copy takes along.</p> : null}
      </section>
    </figure>
  );
}
