import type { ErrorAt } from "../../../parts/dialog-form.tsx";
import { Field } from "../../../parts/field.tsx";
import { ModelInput } from "../../../parts/model-input.tsx";
import { limitName } from "../../playground/limit-name.ts";

/** A target while it is edited. */
export interface TargetDraft {
  readonly key: number;
  readonly model: string;
  readonly name: string;
  readonly system: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly promptId: string;
  readonly promptVersion: string;
}

export const newTarget = (key: number, before?: TargetDraft): TargetDraft => ({
  ...{ model: "", name: "", system: "", temperature: "", maxTokens: "", promptId: "", promptVersion: "" },
  ...before,
  key,
});

/** In the API's form. Only filled-in fields are sent. */
export function targetBody(draft: TargetDraft): object {
  const { model, name, system, temperature, maxTokens, promptId, promptVersion } = draft;
  const parameters = {
    ...(temperature.trim() !== "" && { temperature: Number(temperature) }),
    ...(maxTokens.trim() !== "" && { [limitName(model, [])]: Number(maxTokens) }),
  };
  return {
    model: model.trim(),
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(system.trim() !== "" && { system }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(promptId.trim() !== "" && { prompt_id: promptId.trim() }),
    ...(promptVersion.trim() !== "" && { prompt_version: promptVersion.trim() }),
  };
}

interface TargetFieldsProps {
  /** The target's index, from 0. */
  readonly at: number;
  readonly draft: TargetDraft;
  readonly errorAt: ErrorAt;
  readonly onChange: (draft: TargetDraft) => void;
  /** Undefined if it is the only target. */
  readonly onRemove: (() => void) | undefined;
}

export function TargetFields({ at, draft, errorAt, onChange, onRemove }: TargetFieldsProps) {
  const set = (member: keyof TargetDraft) => (event: { readonly target: { readonly value: string } }) =>
    onChange({ ...draft, [member]: event.target.value });
  const field = (member: keyof TargetDraft, label: string, path: string, hint?: string) => (
    <Field label={label} error={errorAt(`targets.${at}.${path}`)} {...(hint !== undefined && { hint })}>
      {(ids) => <input {...ids} value={draft[member]} maxLength={200} onChange={set(member)} />}
    </Field>
  );
  return (
    <fieldset className="form panel run-target">
      <legend>Target {at + 1}</legend>
      <Field label="Model or route" error={errorAt(`targets.${at}.model`)}>
        {(ids) => <ModelInput {...ids} required maxLength={1_000} value={draft.model} onChange={set("model")} />}
      </Field>
      <details open={draft.system !== "" || draft.promptId !== ""}>
        <summary>Another prompt and settings</summary>
        <div className="form">
          <Field
            label="System prompt"
            hint="Replaces the example's. Empty: keep it."
            error={errorAt(`targets.${at}.system`)}
          >
            {(ids) => <textarea {...ids} rows={3} value={draft.system} onChange={set("system")} />}
          </Field>
          <div className="fields">
            {field("promptId", "Prompt id", "prompt_id")}
            {field("promptVersion", "Prompt version", "prompt_version")}
            {field("temperature", "Temperature", "parameters*")}
            {field("maxTokens", "Tokens at most", "parameters*")}
            {field("name", "Name", "name", "Empty: the model's default.")}
          </div>
        </div>
      </details>
      {onRemove === undefined ? null : (
        <button type="button" className="small quiet" onClick={onRemove}>
          Remove target {at + 1}
        </button>
      )}
    </fieldset>
  );
}
