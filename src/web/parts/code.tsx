import { lazy, Suspense } from "react";
import { CopyButton } from "./copy-button.tsx";
import { formatCount } from "./format.ts";

interface CodeProps {
  readonly text: string;
  /** What it is: its heading, and its name for screen readers. */
  readonly label: string;
  /** What Copy takes where less of it is shown. */
  readonly whole?: string;
  /** The text as a value: shown in colours, with parts that fold. */
  readonly value?: object;
}

/** Loaded with the first value that is shown. */
const JsonTree = lazy(() => import("./json-tree.tsx"));

/** Of longer texts so much is put into the page. */
const SHOWN_CHARS_MAX = 400_000;

/** Text as it is, to read and to copy. Whatever it holds, it is text. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
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
