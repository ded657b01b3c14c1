import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useSession } from "../../session.ts";
import { useOrganizations } from "../organizations/use-organizations.ts";
import type { KeyRow } from "./keys-query.ts";
import { ShownKey } from "./shown-key.tsx";

const SCOPES: Readonly<Record<string, string>> = {
  gateway: "send requests through the gateway",
  figures: "read records without their contents, and metrics",
  read: "read and query records",
  write: "set properties, scores and feedback; delete",
  admin: "keys and settings; implies the others",
};

const CHOSEN: readonly string[] = ["gateway", "read", "write"];

const LIVES: Readonly<Record<string, string>> = {
  "": "Never",
  "1h": "In an hour",
  "1d": "In a day",
  "30d": "In 30 days",
  "90d": "In 90 days",
  "365d": "In a year",
};

/** Creates a key. It is shown here, only once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useSession();
  const { data: organizations = [] } = useOrganizations();
  const work = useSave<KeyRow & { readonly key: string }>({ method: "POST", path: "/v1/keys" });
  if (work.data !== undefined) return <ShownKey secret={work.data.key} onClose={onClose} />;
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
            {Object.entries(SCOPES).map(([scope, about]) => (
              <label key={scope} className="check">
                <input type="checkbox" name="scopes" value={scope} defaultChecked={CHOSEN.includes(scope)} />
                <span>
                  {scope} <span className="muted">{about}</span>
                </span>
              </label>
            ))}
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
