import { type ReactElement, type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  /** Below the control: what it accepts. */
  readonly hint?: ReactNode;
  /** The error of its value. */
  readonly error?: string | undefined;
  /** Gets the attributes that link the control to its label and hint, and mark it as invalid. */
  readonly children: (ids: ControlIds) => ReactElement;
}

interface ControlIds {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** A control with its label. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const about = `${id}-about`;
  const hasText = hint !== undefined || error !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(hasText ? { "aria-describedby": about } : {}),
        ...(error === undefined ? {} : { "aria-invalid": true }),
      })}
      {hasText ? (
        <p
          id={about}
          className={error === undefined ? "field-hint" : "field-error"}
          role={error === undefined ? undefined : "alert"}
        >
          {error ?? hint}
        </p>
      ) : null}
    </div>
  );
}
