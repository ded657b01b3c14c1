interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** For screen readers, and as a tooltip. */
  readonly text: string;
  /** Whether a full bar is a warning. */
  readonly warns?: boolean;
}

/** An amount as a bar. */
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
