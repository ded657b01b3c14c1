import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiFailure, post } from "../api.ts";
import { Field } from "../parts/field.tsx";
import { whyNoPassword } from "../parts/new-password.ts";
import { NewPasswordFields } from "../parts/new-password-fields.tsx";
import { Empty } from "../parts/states.tsx";
import { notifyTabs } from "../session.ts";

interface Wrong {
  /** Name of the wrong field; empty if the message concerns all fields. */
  readonly name: string;
  readonly text: string;
}

/** The page of an invitation link, where a person becomes a user. It is outside the dashboard. */
export default function InvitationPage({ token }: { readonly token: string }) {
  const [wrong, setWrong] = useState<Wrong>();
  const [isBusy, setBusy] = useState(false);
  const [isGone, setGone] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    document.title = "Invitation · Weir";
    form.current?.querySelector("input")?.focus();
  }, []);
  const errorAt = (name: string) => (wrong?.name === name ? wrong.text : undefined);
  const refuse = (name: string, text: string) => {
    setWrong({ name, text });
    form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus();
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const name = String(typed.get("name")).trim();
    const [password, repeated] = [String(typed.get("password")), String(typed.get("repeated"))];
    if (name === "") return refuse("name", "Enter your name.");
    const why = whyNoPassword(password, repeated);
    if (why !== undefined) return refuse(why.name, why.text);
    setBusy(true);
    setWrong(undefined);
    try {
      const { email } = await post<{ readonly email: string }>(`/v1/invitations/${token}`, { name, password });
      // If this is refused, the log-in page says why.
      await post("/v1/session", { email, password }).catch(() => undefined);
      notifyTabs();
      location.replace("/");
    } catch (failure) {
      setBusy(false);
      if (failure instanceof ApiFailure && failure.status === 404) setGone(true);
      else refuse("password", said(failure));
    }
  };

  if (isGone)
    return (
      <main className="login">
        <Empty title="This invitation does not work">
          It was used, has expired, or was replaced by a newer one. Ask an admin for another. If you have accepted it,{" "}
          <a href="/">log in</a>.
        </Empty>
      </main>
    );
  return (
    <main className="login">
      <form ref={form} onSubmit={submit} className="login-form" noValidate>
        <h1>Weir</h1>
        <p className="login-about">
          You are invited. Choose a name and a password. If you already have an account for this e-mail address, enter
          the password of that account.
        </p>
        <Field label="Name" error={errorAt("name")}>
          {(ids) => <input {...ids} name="name" autoComplete="name" required maxLength={200} />}
        </Field>
        <NewPasswordFields label="Password" errorAt={errorAt} />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? "Accepting…" : "Accept the invitation"}
        </button>
      </form>
    </main>
  );
}

function said(failure: unknown): string {
  if (!(failure instanceof ApiFailure)) return String(failure);
  if (failure.status === 401)
    return "An account for this e-mail address exists, with another password. Enter that one.";
  const text = failure.message.replace(/^password: /, "");
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
