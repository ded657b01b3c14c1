import { Link } from "@tanstack/react-router";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { missingOf, useSession } from "../../session.ts";
import { useOrganizations } from "../organizations/use-organizations.ts";
import type { KeyRow } from "./keys-query.ts";
import { ShownKey } from "./shown-key.tsx";

const SCOPES = {
  gateway: "send requests through the gateway",
  figures: "read records without their contents, and metrics",
  read: "read and query records",
  write: "set properties, scores and feedback; delete",
  admin: "keys and settings; implies the others",
} as const;

const CHOSEN: readonly string[] = ["gateway", "read", "write"];

const LIVES: Readonly<Record<string, string>> = {
  "": "Never",
  "1h": "In an hour",
  "1d": "In a day",
  "30d": "In 30 days",
  "90d": "In 90 days",
  "365d": "In a year",
};

/** Creates a key, with no more scopes than its creator has. It is shown here, only once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const session = useSession();
  const { organization } = session;
  const { data: organizations = [] } = useOrganizations();
  const work = useSave<KeyRow & { readonly key: string }>({ method: "POST", path: "/v1/keys" });
  if (work.data !== undefined) {
    const canLimit = missingOf(session, "admin") === undefined;
    return (
      <ShownKey secret={work.data.key} onClose={onClose}>
        {canLimit ? (
          <>
            To limit what it spends, create a limit for it on the page{" "}
            {/* In a tab of its own: leaving this page would lose the secret. */}
            <Link to="/limits" target="_blank">
              Limits
            </Link>
            .
          </>
        ) : null}
      </ShownKey>
    );
  }
  return (
    <DialogForm
      title="Create a key"
      action="Create key"
      work={work}
      onClose={onClose}
      onSubmit={({ text, all }) =>
        work.mutate({
          name: text("name"),
          scopes: all("scopes"),
          ...(text("models") === "" ? {} : { models: listOf(text("models")) }),
          ...(text("credentials") === "" ? {} : { credentials: listOf(text("credentials")) }),
          ...(["", organization].includes(text("organization")) ? {} : { organization: text("organization") }),
          ...(text("expires") === "" ? {} : { expires: text("expires") }),
        })
      }
    >
      {(errorAt) => (
        <>
          <Field label="Name" hint="The person or program that will use it." error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={200} />}
          </Field>
          <fieldset className="scopes">
            <legend>Scopes</legend>
            {(Object.keys(SCOPES) as (keyof typeof SCOPES)[]).map((scope) => {
              const missing = missingOf(session, scope);
              const isChosen = missing === undefined && CHOSEN.includes(scope);
              return (
                <label key={scope} className="check">
                  <input
                    type="checkbox"
                    name="scopes"
                    value={scope}
                    defaultChecked={isChosen}
                    disabled={missing !== undefined}
                  />
                  <span>
                    {scope} <span className="muted">{missing ?? SCOPES[scope]}</span>
                  </span>
                </label>
              );
            })}
          </fieldset>
          <Field label="Expires">
            {(ids) => (
              <select {...ids} name="expires" defaultValue="">
                {Object.entries(LIVES).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Models"
            hint="Patterns of the models and routes that it may use, such as openai/*, fast, !openai/gpt-5-pro. All if empty."
            error={errorAt("models") ?? errorAt("models.*")}
          >
            {(ids) => <input {...ids} name="models" placeholder="all" />}
          </Field>
          <Field
            label="Credentials"
            hint="Patterns of the credentials that it may use, such as team-*. All if empty."
            error={errorAt("credentials") ?? errorAt("credentials.*")}
          >
            {(ids) => <input {...ids} name="credentials" placeholder="all" />}
          </Field>
          {organizations.length < 2 ? null : (
            <Field label="Organization" error={errorAt("organization")}>
              {(ids) => (
                <select {...ids} name="organization" defaultValue={organization}>
                  {organizations.map(({ id, name }) => (
                    <option key={id}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          )}
        </>
      )}
    </DialogForm>
  );
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
