import { useMemo, useState } from "react";
import { formatCounted } from "../../parts/format.ts";
import { folded, lineDiff, linesWithin } from "./line-diff.ts";
import { Text, WHOLE_CHARS_MAX } from "./text.tsx";

const CLASSES = { " ": "diff-same", "-": "diff-removed", "+": "diff-added" } as const;

interface DiffProps {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
  /** Spoken prefixes of lines that only one text has, for screen readers. */
  readonly said?: Readonly<Record<"-" | "+", string>>;
}

/** What is put into the page at first, and with each press of the button: about 2,000 short lines. */
const CHARS_AT_ONCE = 200_000;

/** Two texts line by line, with equal parts folded; empty if they are equal. A long comparison begins with its first lines. */
export function Diff({ before, after, label, said = { "-": "only before: ", "+": "only after: " } }: DiffProps) {
  const lines = useMemo(() => folded(lineDiff(before, after)), [before, after]);
  const [chars, setChars] = useState(CHARS_AT_ONCE);
  const shown = linesWithin(lines, chars, WHOLE_CHARS_MAX);
  return (
    <section className="diff" aria-label={label}>
      {lines.slice(0, shown).map((line, at) =>
        typeof line === "number" ? (
          <p key={at} className="muted">
            … {formatCounted(line, "equal line")}
          </p>
        ) : (
          <div key={at} className={CLASSES[line.mark]}>
            {line.mark === " " ? null : <span className="unseen">{said[line.mark]}</span>}
            {line.mark} {line.text.length > WHOLE_CHARS_MAX ? <Text text={line.text} /> : line.text}
          </div>
        ),
      )}
      {shown === lines.length ? null : (
        <button type="button" className="small long" onClick={() => setChars(chars + CHARS_AT_ONCE)}>
          Show more: {formatCounted(lines.length - shown, "line")} left
        </button>
      )}
    </section>
  );
}
