import { formatCounted } from "../../parts/format.ts";
import { folded, lineDiff } from "./line-diff.ts";

const CLASSES = { " ": "diff-same", "-": "diff-removed", "+": "diff-added" } as const;

interface DiffProps {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
  /** Spoken prefixes of lines that only one text has, for screen readers. */
  readonly said?: Readonly<Record<"-" | "+", string>>;
}

/** Two texts line by line, with equal parts folded; empty if they are equal. */
export function Diff({ before, after, label, said = { "-": "only before: ", "+": "only after: " } }: DiffProps) {
  const lines = folded(lineDiff(before, after));
  return (
    <section className="diff" aria-label={label}>
      {lines.map((line, at) =>
        typeof line === "number" ? (
          <p key={at} className="muted">
            … {formatCounted(line, "equal line")}
          </p>
        ) : (
          <p key={at} className={CLASSES[line.mark]}>
            {line.mark === " " ? null : <span className="unseen">{said[line.mark]}</span>}
            {line.mark} {line.text}
          </p>
        ),
      )}
    </section>
  );
}
