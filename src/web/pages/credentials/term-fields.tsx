import type { FieldValues } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { pairsText, readPairs } from "../../parts/pairs-text.ts";
import type { CredentialRow } from "./shapes.ts";

/** Fields of every credential. Not a component: the form reads the errors of all fields before it shows the others. */
export function termFields(credential: CredentialRow | undefined, errorAt: (path: string) => string | undefined) {
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
      <Field label="Base URL" hint="Used instead of the provider's own address." error={errorAt("base_url")}>
        {(ids) => <input {...ids} name="base_url" defaultValue={credential?.base_url ?? ""} />}
      </Field>
      <details className="more" open={hasMore(credential)}>
        <summary>Model names, headers, usage</summary>
        <div className="form">
          <Field
            label="Model map"
            hint="One a line: gpt-4o = my-deployment. For models that have another name at the provider."
            error={errorAt("model_map") ?? errorAt("model_map.*")}
          >
            {(ids) => (
              <textarea
                {...ids}
                name="model_map"
                rows={2}
                spellCheck={false}
                defaultValue={pairsText(credential?.model_map ?? {}, "=")}
              />
            )}
          </Field>
          <Field
            label="Headers"
            hint="One a line: name: value. Sent with every request that uses this credential."
            error={errorAt("headers") ?? errorAt("headers.*")}
          >
            {(ids) => (
              <textarea
                {...ids}
                name="headers"
                rows={2}
                spellCheck={false}
                defaultValue={pairsText(credential?.headers ?? {}, ":")}
              />
            )}
          </Field>
          <Field
            label="Ask for usage"
            hint="Adds include_usage to streamed chat completions, and removes the extra chunk."
            error={errorAt("ask_usage")}
          >
            {(ids) => (
              <select {...ids} name="ask_usage" defaultValue={String(credential?.ask_usage ?? "")}>
                <option value="">if the limit is in cents or tokens</option>
                <option value="true">always</option>
                <option value="false">never</option>
              </select>
            )}
          </Field>
        </div>
      </details>
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

/** Whether it sets any of the rarely used members. */
function hasMore(credential: CredentialRow | undefined): boolean {
  if (credential === undefined) return false;
  const { model_map, headers, ask_usage } = credential;
  return Object.keys(model_map).length > 0 || Object.keys(headers).length > 0 || ask_usage !== null;
}

/** These fields in the API's form. */
export function termsOf({ text, number, isOn }: FieldValues) {
  const models = text("models")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return {
    weight: number("weight"),
    models,
    limit: text("limit") || null,
    base_url: text("base_url") || null,
    model_map: readPairs(text("model_map"), "="),
    headers: readPairs(text("headers"), ":"),
    ask_usage: text("ask_usage") === "" ? null : text("ask_usage") === "true",
    enabled: isOn("enabled"),
    private: isOn("private"),
    shared: isOn("shared"),
  };
}
