import { CopyButton } from "./copy-button.tsx";

interface CodeProps {
  readonly text: string;
  /** What it is: its heading, and its name for who cannot see it. */
  readonly label: string;
  readonly copy?: boolean;
}

/** Text as it is, to read and to copy. Whatever it holds, it is text. */
export function Code({ text, label, copy = true }: CodeProps) {
  return (
    <figure className="code">
      <figcaption>
        <span>{label}</span>
        {copy ? <CopyButton text={text} /> : null}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </figure>
  );
}
