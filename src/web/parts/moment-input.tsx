import { type InputHTMLAttributes, type Ref, useState } from "react";
import { isoMoment, localMoment } from "./time-range.ts";

interface MomentInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "type"> {
  /** ISO 8601; empty if there is none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
}

/** A date and time in the reader's time zone. Typed text stays unchanged until it is valid. */
export function MomentInput({ value, onChange, inputRef, ...rest }: MomentInputProps) {
  const [text, setText] = useState(() => localMoment(value));
  const [from, setFrom] = useState(value);
  if (from !== value) {
    setFrom(value);
    if (isoMoment(text) !== value) setText(localMoment(value));
  }
  return (
    <input
      {...rest}
      ref={inputRef}
      type="datetime-local"
      step="1"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange(isoMoment(target.value));
      }}
    />
  );
}
