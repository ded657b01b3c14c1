interface SegmentsProps<T extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly options: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Alternative views of the same content, one of which is active. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="segments">
      <legend className="unseen">{label}</legend>
      {(Object.entries(options) as [T, string][]).map(([option, text]) => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
