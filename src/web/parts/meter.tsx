interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** Read out, and shown when one points at it. */
  readonly text: string;
  /** Whether being full is a matter of concern. */
  readonly warns?: boolean;
}

/** How much of something there is, as a bar. */
export function Meter({ label, value, max, text, warns = false }: MeterProps) {
  const part = max <= 0 ? (value > 0 ? 1 : 0) : Math.min(1, Math.max(0, value / max));
  const tone = !warns || part < 0.8 ? "plain" : part < 1 ? "warn" : "bad";
  return (
    <span className={`meter meter-${tone}`} title={text}>
      <span className="unseen">
        {label}: {text}
      </span>
      <span className="meter-bar" style={{ width: `${part * 100}%` }} aria-hidden="true" />
    </span>
  );
}
