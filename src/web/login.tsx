import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { SessionView } from "../api/logins/session.ts";
import { ApiFailure, get, post } from "./api.ts";
import type { LoginFailure } from "./login-failure.ts";
import { Field } from "./parts/field.tsx";
import { Failed } from "./parts/states.tsx";
import { entered, notifyTabs, sessionQuery } from "./session.ts";

/** A way to log in that `GET /v1/login` lists. */
interface Method {
  readonly kind: string;
  readonly name: string;
  readonly label: string;
  /** Address that starts it. */
  readonly start: string;
}

interface Way {
  readonly about: string;
  /** Label of the button that switches to this way. */
  readonly change: string;
  readonly fields: readonly [LoginField, ...LoginField[]];
  readonly tooMany: string;
}

interface LoginField {
  readonly name: "email" | "key" | "password";
  readonly label: string;
  readonly type: string;
  readonly autoComplete: string;
  readonly placeholder?: string;
  /** The message if it is empty. */
  readonly empty: string;
}

/** The known ways, by their kind. */
const WAYS: Readonly<Record<string, Way>> = {
  local: {
    about: "Log in with your e-mail address and password.",
    change: "Log in with a password",
    fields: [
      { name: "email", label: "E-mail", type: "email", autoComplete: "username", empty: "Enter your e-mail address." },
      {
        ...{ name: "password", label: "Password", type: "password", autoComplete: "current-password" },
        empty: "Enter your password.",
      },
    ],
    tooMany: "Too many wrong passwords. Wait before the next, 15 minutes at most.",
  },
  key: {
    about: "Log in with a service key. It decides what you see and what you may change.",
    change: "Log in with a service key",
    fields: [
      {
        ...{ name: "key", label: "Service key", type: "password", autoComplete: "current-password" },
        ...{ placeholder: "sk-weir-…", empty: "Enter a service key." },
      },
    ],
    tooMany: "Too many wrong keys. Wait a minute before the next.",
  },
};

interface LoginProps {
  /** Why the previous log-in failed. */
  readonly failure?: LoginFailure;
  /** Whether a user is logged in regardless. */
  readonly isLoggedIn?: boolean;
  /** Called when the failure need not be shown any longer. */
  readonly onLeave?: () => void;
}

/** Shows the log-in in place of the opened page, which appears afterwards. Typed values are not kept. */
export function Login({ failure, isLoggedIn = false, onLeave }: LoginProps) {
  useEffect(() => {
    document.title = "Log in · Weir";
  }, []);
  const { data, error, refetch } = useQuery({
    queryKey: [...sessionQuery.queryKey, "ways"],
    queryFn: async ({ signal }) => (await get<{ readonly methods: readonly Method[] }>("/v1/login", signal)).methods,
  });
  const [chosen, choose] = useState<string>();
  const providers = data?.filter(({ kind }) => kind === "oidc") ?? [];
  const kinds = data?.map(({ kind }) => kind).filter((kind) => Object.hasOwn(WAYS, kind)) ?? [];
  const kind = chosen ?? (providers.length === 0 ? kinds[0] : undefined);
  const others = kinds.filter((each) => each !== kind);
  if (data === undefined && error === null) return <main className="login" aria-busy="true" />;
  if (data === undefined)
    return (
      <main className="login">
        <Failed error={error} onRetry={() => void refetch()} />
      </main>
    );
  return (
    <main className="login">
      <div className="login-form">
        <h1>Weir</h1>
        {failure === undefined ? null : <Refusal failure={failure} providers={providers} />}
        {kinds.length + providers.length > 0 ? null : (
          <p className="login-about">No log-in is possible here: every method is disabled.</p>
        )}
        {providers.map(({ name, label, start }) => (
          <a key={name} className="login-provider" href={`${start}?return=${encodeURIComponent(here())}`}>
            Log in with {label}
          </a>
        ))}
        {kind === undefined ? null : <LoginForm key={kind} kind={kind} way={WAYS[kind]!} onDone={onLeave} />}
        {others.map((other) => (
          <button key={other} type="button" className="link" onClick={() => choose(other)}>
            {WAYS[other]!.change}
          </button>
        ))}
        {isLoggedIn ? (
          <button type="button" className="link" onClick={onLeave}>
            Continue with the current log-in
          </button>
        ) : null}
      </div>
    </main>
  );
}

/** The opened page, to which the log-in returns. */
function here(): string {
  return location.pathname + location.search + location.hash;
}

/** Failures after which another account at the same provider may work. */
const ANOTHER_ACCOUNT_HELPS: readonly string[] = ["not_a_member", "login_refused"];

function Refusal({ failure, providers }: { readonly failure: LoginFailure; readonly providers: readonly Method[] }) {
  const provider = providers.find(({ name }) => name === failure.provider);
  return (
    <>
      <p className="login-failure" role="alert">
        {sentence(failure.message)}
      </p>
      {provider === undefined || !ANOTHER_ACCOUNT_HELPS.includes(failure.code) ? null : (
        <a href={`${provider.start}?account=other`}>Log in with another account of {provider.label}</a>
      )}
    </>
  );
}

function sentence(message: string): string {
  return `${message[0]!.toUpperCase()}${message.slice(1)}.`;
}

interface Wrong {
  readonly name: LoginField["name"];
  readonly text: string;
}

interface LoginFormProps {
  readonly kind: string;
  readonly way: Way;
  readonly onDone?: (() => void) | undefined;
}

function LoginForm({ kind, way, onDone }: LoginFormProps) {
  const client = useQueryClient();
  const [wrong, setWrong] = useState<Wrong>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const first = way.fields[0].name;
  const last = way.fields.at(-1)!.name;
  useEffect(() => form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus(), [first]);

  const refuse = (name: LoginField["name"], text: string) => {
    setWrong({ name, text });
    form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.select();
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const body = Object.fromEntries(
      // A password may begin with a space.
      way.fields.map(({ name }) => [name, name === "password" ? typed.get(name) : String(typed.get(name)).trim()]),
    );
    const empty = way.fields.find(({ name }) => body[name] === "");
    if (empty !== undefined) return refuse(empty.name, empty.empty);
    setBusy(true);
    setWrong(undefined);
    try {
      const session = await post<SessionView>("/v1/session", body);
      client.setQueryData(sessionQuery.queryKey, entered(client, session));
      notifyTabs();
      onDone?.();
    } catch (failure) {
      setBusy(false);
      refuse(last, said(failure, way));
    }
  };

  return (
    <form ref={form} onSubmit={submit} className="login-fields" noValidate>
      <p className="login-about">{way.about}</p>
      {way.fields.map(({ name, label, empty: _, ...input }) => (
        <Field
          key={name}
          label={label}
          error={wrong?.name === name ? wrong.text : undefined}
          {...(kind === "key" ? { hint: <KeyHint /> } : {})}
        >
          {(ids) => <input {...ids} {...input} name={name} spellCheck={false} required />}
        </Field>
      ))}
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? "Logging in…" : "Log in"}
      </button>
    </form>
  );
}

function KeyHint() {
  return (
    <>
      <code>weir serve</code> printed the first one; <code>weir keys create</code> makes more.
    </>
  );
}

function said(failure: unknown, { tooMany }: Way): string {
  if (!(failure instanceof ApiFailure)) return String(failure);
  if (failure.status === 429) return tooMany;
  if (failure.status !== 401 && failure.status !== 403) return failure.message;
  return sentence(failure.message);
}
