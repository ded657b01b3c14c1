import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { post } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { failureAt } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { type WrongPassword, whyNoPassword } from "../../parts/new-password.ts";
import { NewPasswordFields } from "../../parts/new-password-fields.tsx";

/** Changes the user's own password. @param email - for password managers, which store it with the password. */
export function NewPassword({ email }: { readonly email: string }) {
  const [wrong, setWrong] = useState<WrongPassword>();
  const work = useMutation({ mutationFn: (body: unknown) => post("/v1/me/password", body) });
  const errorAt = (name: string) => (wrong?.name === name ? wrong.text : failureAt(work.error, name));
  const isAtField = ["current", "password"].some((name) => errorAt(name) !== undefined);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form);
    const text = (name: string) => String(typed.get(name));
    const why = whyNoPassword(text("password"), text("repeated"));
    setWrong(why);
    if (why !== undefined) return work.reset();
    work.mutate({ current: text("current"), password: text("password") }, { onSuccess: () => form.reset() });
  };
  return (
    <section>
      <h2>Password</h2>
      <form className="form" onSubmit={submit}>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field label="Current password" error={errorAt("current")}>
          {(ids) => <input {...ids} name="current" type="password" autoComplete="current-password" required />}
        </Field>
        <NewPasswordFields label="New password" errorAt={errorAt} />
        <Trouble error={isAtField ? null : work.error} />
        <p role="status">{work.isSuccess ? "Your password is changed. Your other log-ins have ended." : null}</p>
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            Change password
          </button>
        </div>
      </form>
    </section>
  );
}
