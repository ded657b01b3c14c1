import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../../api.ts";
import { DialogForm, type FieldValues, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { Loading } from "../../parts/states.tsx";
import { memberLabel } from "./member-label.ts";
import { type CredentialRow, PROVIDERS, type ProviderRow } from "./shapes.ts";
import { termFields, termsOf } from "./term-fields.tsx";

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

/** Adds a credential, or changes one: secrets left empty stay unchanged. */
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
              <Field label="Name" hint="The provider's name if empty." error={errorAt("name")}>
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
                label={memberLabel(member)}
                hint={credential?.secrets[member] === undefined ? undefined : "Leave empty to keep it."}
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

/** A provider-specific member. */
function Setting({ member, schema, value, error }: SettingProps) {
  const given = typeof value === "string" ? value : "";
  return (
    <Field label={memberLabel(member)} hint={schema.description} error={error}>
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

function secretsOf({ text }: FieldValues, members: readonly string[]): Readonly<Record<string, string>> {
  const given = members.map((member) => [member, text(member)] as const);
  return Object.fromEntries(given.filter(([, secret]) => secret !== ""));
}
