import type { ReactNode } from "react";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Segments } from "../../parts/segments.tsx";
import { type Draft, DraftError, formPrompt, jsonPrompt, promptBody, SHAPES, type Shape, shapeOf } from "./draft.ts";
import { MessagesEditor } from "./messages-editor.tsx";
import { ModelsEditor } from "./models-editor.tsx";
import { SettingsEditor } from "./settings-editor.tsx";

interface PromptFormProps {
  readonly draft: Draft;
  /** The draft's error, found when it was about to be sent. */
  readonly wrong: DraftError | undefined;
  readonly onEdit: (change: Partial<Draft>) => void;
  readonly onSend: () => void;
}

/** The request: models, messages, tools and settings, in fields or as JSON. */
export function PromptForm({ draft, wrong, onEdit, onSend }: PromptFormProps) {
  const { prompt, stream, refuseLosses } = draft;
  const errorAt = (field: string) => (wrong?.field === field ? wrong.message : undefined);
  return (
    <form
      className="panel prompt-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <ModelsEditor models={draft.models} onChange={(models) => onEdit({ models })} />
      <PromptMode draft={draft} onEdit={onEdit} />
      {"json" in prompt ? (
        <Field label="Body" hint="Without model and stream, which have fields of their own." error={errorAt("json")}>
          {(ids) => (
            <textarea
              {...ids}
              rows={18}
              spellCheck={false}
              value={prompt.json}
              onChange={(event) => onEdit({ prompt: { ...prompt, json: event.target.value } })}
            />
          )}
        </Field>
      ) : (
        <>
          <MessagesEditor
            messages={prompt.messages}
            errorAt={errorAt}
            onChange={(messages) => onEdit({ prompt: { ...prompt, messages } })}
          />
          <SettingsEditor prompt={prompt} errorAt={errorAt} onChange={(next) => onEdit({ prompt: next })} />
        </>
      )}
      <div className="prompt-wishes">
        <Check label="Stream" on={stream} onChange={(on) => onEdit({ stream: on })} />
        <Check
          label="Strict translation"
          title="Refuse the request if its translation to the provider's API would drop a part; otherwise the response has a warning"
          on={refuseLosses}
          onChange={(on) => onEdit({ refuseLosses: on })}
        />
      </div>
      <div className="form-actions">
        <button type="submit" className="primary" title="Ctrl+Enter">
          <Icon name="play" />
          {draft.models.filter((model) => model.trim() !== "").length > 1 ? "Send to all" : "Send"}
        </button>
        <span className="muted prompt-key">Ctrl+Enter</span>
      </div>
    </form>
  );
}

/** Chooses fields or JSON, and the API of the JSON. */
function PromptMode({ draft: { prompt }, onEdit }: Pick<PromptFormProps, "draft" | "onEdit">): ReactNode {
  const body = bodyNow();
  const asForm = body === undefined || shapeOf(prompt) !== "chat-completions" ? undefined : formPrompt(body);
  const mode = "json" in prompt ? "json" : "form";
  const change = (next: "form" | "json") => {
    if (next === mode || body === undefined) return;
    if (next === "json") onEdit({ prompt: jsonPrompt("chat-completions", body) });
    else if (asForm !== undefined) onEdit({ prompt: asForm });
  };
  function bodyNow() {
    try {
      return promptBody(prompt);
    } catch (error) {
      if (error instanceof DraftError && error.field === "messages") return { messages: [] };
      return undefined;
    }
  }
  return (
    <div className="prompt-mode">
      <Segments label="Write as" options={{ form: "Form", json: "JSON" }} value={mode} onChange={change} />
      {"json" in prompt ? (
        <label className="inline-field">
          API
          <select
            value={prompt.shape}
            onChange={(event) => onEdit({ prompt: { ...prompt, shape: event.target.value as Shape } })}
          >
            {Object.entries(SHAPES).map(([shape, label]) => (
              <option key={shape} value={shape}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {mode === "json" && asForm === undefined ? (
        <span className="muted">The form writes chat completions only.</span>
      ) : mode === "form" && body === undefined ? (
        <span className="muted">Fix the fields to see them as JSON.</span>
      ) : null}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly title?: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

function Check({ label, title, on, onChange }: CheckProps) {
  return (
    <label className="check" title={title}>
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
