import { type Ref, useId } from "react";

/** Suggestions shown at a time: typing narrows them down. */
export const PROPOSALS_MAX = 50;

interface ProposingInputProps {
  /** For an input without a label of its own. */
  readonly label?: string;
  /** Of an input that a label points to. */
  readonly id?: string;
  readonly placeholder: string;
  readonly value: string;
  readonly proposals: readonly string[];
  readonly onChange: (value: string) => void;
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
}

/** A text input that suggests recorded values. */
export function ProposingInput({ label, id, placeholder, value, proposals, onChange, inputRef }: ProposingInputProps) {
  const list = useId();
  const typed = value.toLowerCase();
  const fitting = proposals.filter((each) => each.toLowerCase().includes(typed)).slice(0, PROPOSALS_MAX);
  return (
    <>
      <input
        id={id}
        aria-label={label}
        ref={inputRef}
        type="text"
        placeholder={placeholder}
        list={fitting.length === 0 ? undefined : list}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {fitting.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
