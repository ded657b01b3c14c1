import { Field } from "./field.tsx";
import { PASSWORD_MIN } from "./new-password.ts";

interface NewPasswordFieldsProps {
  readonly label: string;
  readonly errorAt: (name: string) => string | undefined;
}

/** A new password, entered twice, with its rules: the fields `password` and `repeated`. */
export function NewPasswordFields({ label, errorAt }: NewPasswordFieldsProps) {
  const input = { type: "password", autoComplete: "new-password", required: true, maxLength: 1_000 } as const;
  return (
    <>
      <Field
        label={label}
        hint={`${PASSWORD_MIN} characters or more. Common passwords are refused.`}
        error={errorAt("password")}
      >
        {(ids) => <input {...ids} {...input} name="password" />}
      </Field>
      <Field label={`${label} again`} error={errorAt("repeated")}>
        {(ids) => <input {...ids} {...input} name="repeated" />}
      </Field>
    </>
  );
}
