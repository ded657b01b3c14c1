import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { SessionView } from "../api/logins/session.ts";
import { ApiFailure, post } from "./api.ts";
import { Field } from "./parts/field.tsx";
import { entered, sessionQuery, tellTabs } from "./session.ts";

/** Asks for a key in place of whatever page was opened, which then shows. The key leaves this page only to the API, and stays nowhere. */
export function Login() {
  const client = useQueryClient();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Log in · Weir";
    input.current?.focus();
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
    if (key === "") return setError("Enter a service key.");
    setBusy(true);
    setError(undefined);
    try {
      const session = await post<SessionView>("/v1/session", { key });
      client.setQueryData(sessionQuery.queryKey, entered(client, session));
      tellTabs();
    } catch (failure) {
      setError(said(failure));
      setBusy(false);
      input.current?.select();
    }
  };

  return (
    <main className="login">
      <form onSubmit={submit} className="login-form">
        <h1>Weir</h1>
        <p className="login-about">Log in with a service key. It decides what you see and what you may change.</p>
        <Field
          label="Service key"
          error={error}
          hint={
            <>
              <code>weir serve</code> printed the first one; <code>weir keys create</code> makes more.
            </>
          }
        >
          {(ids) => (
            <input
              {...ids}
              ref={input}
              name="key"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              placeholder="sk-weir-…"
              required
            />
          )}
        </Field>
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? "Logging in…" : "Log in"}
        </button>
      </form>
    </main>
  );
}

function said(failure: unknown): string {
  if (!(failure instanceof ApiFailure)) return String(failure);
  if (failure.status === 401) return `${failure.message[0]!.toUpperCase()}${failure.message.slice(1)}.`;
  if (failure.status === 429) return "Too many wrong keys. Wait a minute before the next.";
  return failure.message;
}
