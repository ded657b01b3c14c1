import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../../api.ts";
import { DialogForm, type FieldValues, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { Loading } from "../../parts/states.tsx";
import { CREDENTIALS, type CredentialRow, PROVIDERS, type ProviderRow } from "./shapes.ts";

const CUSTOM: ProviderRow = {
  name: "CUSTOM",
  credential: {
    secret: ["api_key"],
    settings: {
      shape: { enum: ["chat-completions", "responses", "messages", "generate-content", "cohere-chat", "ollama-chat"] },
    },
    baseUrl: "required",
  },
};

interface CredentialDialogProps {
  /** Undefined for a new one. */
  readonly credential: CredentialRow | undefined;
  readonly onClose: () => void;
}

/** Adds a credential, or changes one: secrets that are left empty stay. */
export function CredentialDialog({ credential, onClose }: CredentialDialogProps) {
  const [name, setName] = useState(credential?.provider ?? "OPENAI");
  const { data } = useQuery({
    queryKey: PROVIDERS,
    queryFn: ({ signal }) => get<readonly ProviderRow[]>("/v1/providers", signal),
    staleTime: 60_000,
  });
  const providers = [...(data ?? []).filter((each) => each.name !== null), CUSTOM];
  const form = providers.find((each) => each.name === name)?.credential ?? { secret: ["api_key"] };
  const settings = Object.keys(form.settings ?? {});
  const work = useSave({
    ...(credential === undefined
      ? { method: "POST", path: "/v1/credentials" }
      : { method: "PUT", path: `/v1/credentials/${encodeURIComponent(credential.name)}` }),
    list: CREDENTIALS,
    onSaved: onClose,
  });
  return (
    <DialogForm
      title={credential === undefined ? "Add a credential" : `Credential “${credential.name}”`}
      action={credential === undefined ? "Add credential" : "Save credential"}
      work={work}
      wide
      onClose={onClose}
      onSubmit={(values) =>
        work.mutate({
          ...(credential === undefined && { provider: name, name: values.text("name") || undefined }),
          ...secretsOf(values, form.secret),
          ...Object.fromEntries(settings.map((member) => [member, values.text(member) || null])),
          ...termsOf(values),
        })
      }
    >
      {(errorAt) =>
        data === undefined ? (
          <Loading rows={3} />
        ) : (
          <>
            <div className="fields">
              <Field label="Provider" error={errorAt("provider")}>
                {(ids) => (
                  <select
                    {...ids}
                    value={name}
                    disabled={credential !== undefined}
                    onChange={(event) => setName(event.target.value)}
                  >
                    {providers.map((each) => (
                      <option key={each.name}>{each.name}</option>
                    ))}
                  </select>
                )}
              </Field>
              <Field label="Name" hint="Made from the provider's if empty." error={errorAt("name")}>
                {(ids) => (
                  <input
                    {...ids}
                    name="name"
                    maxLength={100}
                    defaultValue={credential?.name}
                    disabled={credential !== undefined}
                  />
                )}
              </Field>
            </div>
            {form.secret.map((member) => (
              <Field
                key={`${name} ${member}`}
                label={member}
                hint={credential?.secrets[member] === undefined ? undefined : "Left empty, it stays as it is."}
                error={errorAt(member)}
              >
                {(ids) =>
                  member === "service_account" ? (
                    <textarea {...ids} name={member} rows={3} spellCheck={false} />
                  ) : (
                    <input {...ids} name={member} type="password" autoComplete="new-password" spellCheck={false} />
                  )
                }
              </Field>
            ))}
            {settings.map((member) => (
              <Setting
                key={`${name} ${member}`}
                member={member}
                schema={form.settings?.[member]}
                value={(credential as Readonly<Record<string, unknown>> | undefined)?.[member]}
                error={errorAt(member)}
              />
            ))}
            {termFields(credential, errorAt)}
          </>
        )
      }
    </DialogForm>
  );
}

interface SettingProps {
  readonly member: string;
  readonly schema: { readonly enum?: readonly string[]; readonly default?: string; readonly description?: string };
  readonly value: unknown;
  readonly error: string | undefined;
}

/** A member of the provider's own. */
function Setting({ member, schema, value, error }: SettingProps) {
  const given = typeof value === "string" ? value : "";
  return (
    <Field label={member} hint={schema.description} error={error}>
      {(ids) =>
        schema.enum === undefined ? (
          <input {...ids} name={member} defaultValue={given} placeholder={schema.default} />
        ) : (
          <select {...ids} name={member} defaultValue={given || schema.default}>
            {schema.enum.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

/** What every credential has. No component: the form asks for all failures at fields before it shows the rest. */
function termFields(credential: CredentialRow | undefined, errorAt: (path: string) => string | undefined) {
  return (
    <>
      <div className="fields">
        <Field label="Weight" hint="0 is only a fallback." error={errorAt("weight")}>
          {(ids) => (
            <input
              {...ids}
              name="weight"
              type="number"
              min={0}
              step="any"
              required
              defaultValue={credential?.weight ?? 1}
            />
          )}
        </Field>
        <Field
          label="Models"
          hint="Patterns such as gpt-5*, !gpt-5-pro. All if empty."
          error={errorAt("models") ?? errorAt("models.*")}
        >
          {(ids) => <input {...ids} name="models" placeholder="all" defaultValue={credential?.models.join(", ")} />}
        </Field>
      </div>
      <Field label="Limit" hint="Rate-limit policies, such as 600;w=60,5000;w=86400;u=cents." error={errorAt("limit")}>
        {(ids) => <input {...ids} name="limit" placeholder="none" defaultValue={credential?.limit ?? ""} />}
      </Field>
      <Field label="Base URL" hint="In place of the provider's own address." error={errorAt("base_url")}>
        {(ids) => <input {...ids} name="base_url" defaultValue={credential?.base_url ?? ""} />}
      </Field>
      <fieldset className="scopes">
        <legend>Use</legend>
        <Check name="enabled" on={credential?.enabled ?? true} label="enabled" about="requests may use it" />
        <Check name="private" on={credential?.private} label="private" about="the base URL may be a private address" />
        <Check name="shared" on={credential?.shared} label="shared" about="every organization may use it" />
      </fieldset>
    </>
  );
}

interface CheckProps {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly on: boolean | undefined;
}

function Check({ name, label, about, on = false }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" name={name} defaultChecked={on} />
      <span>
        {label} <span className="muted">{about}</span>
      </span>
    </label>
  );
}

function secretsOf({ text }: FieldValues, members: readonly string[]): Readonly<Record<string, string>> {
  const given = members.map((member) => [member, text(member)] as const);
  return Object.fromEntries(given.filter(([, secret]) => secret !== ""));
}

function termsOf({ text, number, isOn }: FieldValues) {
  const models = text("models")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return {
    weight: number("weight"),
    models,
    limit: text("limit") || null,
    base_url: text("base_url") || null,
    enabled: isOn("enabled"),
    private: isOn("private"),
    shared: isOn("shared"),
  };
}
