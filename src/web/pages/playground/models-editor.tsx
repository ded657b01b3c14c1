import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { Icon } from "../../parts/icon.tsx";
import { ModelInput } from "../../parts/model-input.tsx";

/** Responses side by side, at most: more would be unreadable. */
const MODELS_MAX = 6;

interface ModelsEditorProps {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}

/** The models to call, one response each. */
export function ModelsEditor({ models, onChange }: ModelsEditorProps) {
  const id = useId();
  const set = (at: number, model: string) => onChange(models.map((each, place) => (place === at ? model : each)));
  return (
    <fieldset className="models-editor" aria-describedby={id}>
      <legend>{models.length > 1 ? "Models" : "Model"}</legend>
      {models.map((model, at) => (
        <div key={at} className="model-row">
          <ModelInput
            aria-label={models.length > 1 ? `Model ${at + 1}` : "Model"}
            placeholder="openai/gpt-5-mini, or a route"
            required={at === 0}
            value={model}
            onChange={(event) => set(at, event.target.value)}
          />
          {model.trim() === "" ? null : (
            <Link
              to="/routes"
              search={{ tab: "explain", model: model.trim() }}
              className="button quiet"
              title="Where it would go"
              aria-label={`Explain ${model}`}
            >
              <Icon name="fork" />
            </Link>
          )}
          {models.length === 1 ? null : (
            <button
              type="button"
              className="quiet"
              aria-label={`Remove model ${at + 1}`}
              onClick={() => onChange(models.filter((_each, place) => place !== at))}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
      {models.length >= MODELS_MAX ? null : (
        <button type="button" className="small model-add" onClick={() => onChange([...models, ""])}>
          <Icon name="plus" size={14} />
          Compare with another
        </button>
      )}
      <p id={id} className="field-hint">
        <code>provider/model</code>, a model or a route; commas separate fallbacks.
      </p>
    </fieldset>
  );
}
