import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { call } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { failureAt } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useSession } from "../../session.ts";
import { KEYS, type KeyRow } from "./page.tsx";

const SCOPES: Readonly<Record<string, string>> = {
  gateway: "send requests through the gateway",
  read: "read and query records",
  write: "set properties, scores and feedback; delete",
  admin: "keys and settings; implies the others",
};

const LIVES: Readonly<Record<string, string>> = {
  "": "Never",
  "1h": "In an hour",
  "1d": "In a day",
  "30d": "In 30 days",
  "90d": "In 90 days",
  "365d": "In a year",
};

/** Makes a key. It is shown here, once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const { organization } = useSession();
  const work = useMutation({
    mutationFn: async (body: unknown) =>
      (await call<KeyRow & { readonly key: string }>("POST", "/v1/keys", { body })).data,
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const expires = text("expires");
    work.mutate({
      name: text("name"),
      scopes: form.getAll("scopes").map(String),
      ...(text("organization") === organization ? {} : { organization: text("organization") }),
      ...(expires === "" ? {} : { expires }),
    });
  };
  const errorAt = (path: string) => failureAt(work.error, path);
  const isAtField = errorAt("name") !== undefined || errorAt("organization") !== undefined;
  if (work.data !== undefined) {
    return (
      <Dialog title="This is the key" onClose={onClose}>
        <p>It is shown here and never again: copy it to where it is needed.</p>
        <p className="secret">
          <code>{work.data.key}</code>
          <CopyButton text={work.data.key} label="Copy key" />
        </p>
        <div className="form-actions">
          <button type="button" className="primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Field label="Name" hint="Who or what will use it." error={errorAt("name")}>
          {(ids) => <input {...ids} name="name" required maxLength={200} />}
        </Field>
        <fieldset className="scopes">
          <legend>Scopes</legend>
          {Object.entries(SCOPES).map(([scope, about]) => (
            <label key={scope} className="check">
              <input type="checkbox" name="scopes" value={scope} defaultChecked={scope !== "admin"} />
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
          label="Organization"
          hint="Another name makes another organization, whose records are apart."
          error={errorAt("organization")}
        >
          {(ids) => <input {...ids} name="organization" required maxLength={200} defaultValue={organization} />}
        </Field>
        <Trouble error={isAtField ? null : work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            Create key
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
