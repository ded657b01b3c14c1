import { Field } from "../../parts/field.tsx";
import type { FormPrompt, Setting } from "./draft.ts";

interface SettingsEditorProps {
  readonly prompt: FormPrompt;
  readonly errorAt: (field: string) => string | undefined;
  readonly onChange: (prompt: FormPrompt) => void;
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const NUMBERS: readonly (readonly [Setting, string, object])[] = [
  ["max_tokens", "Max tokens", { min: 1, step: 1 }],
  ["temperature", "Temperature", { min: 0, max: 2, step: "any" }],
  ["top_p", "Top p", { min: 0, max: 1, step: "any" }],
  ["seed", "Seed", { step: 1 }],
];
const TOOLS = '[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]';

/** Settings that most models accept, tools, and any other member of a chat request. */
export function SettingsEditor({ prompt, errorAt, onChange }: SettingsEditorProps) {
  const { settings, tools, rest } = prompt;
  const set = (name: Setting, value: string) => onChange({ ...prompt, settings: { ...settings, [name]: value } });
  return (
    <>
      <div className="fields">
        {NUMBERS.map(([name, label, bounds]) => (
          <Field key={name} label={label} error={errorAt(name)}>
            {(ids) => (
              <input
                {...ids}
                {...bounds}
                type="number"
                placeholder="default"
                value={settings[name]}
                onChange={(event) => set(name, event.target.value)}
              />
            )}
          </Field>
        ))}
        <Field label="Reasoning">
          {(ids) => (
            <select
              {...ids}
              value={settings.reasoning_effort}
              onChange={(event) => set("reasoning_effort", event.target.value)}
            >
              <option value="">default</option>
              {EFFORTS.map((effort) => (
                <option key={effort}>{effort}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <details className="more" open={tools !== "" || errorAt("tools") !== undefined}>
        <summary>Tools</summary>
        <Field
          label="Tools, as JSON"
          hint="A list of functions, as chat completions take them."
          error={errorAt("tools")}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={6}
              spellCheck={false}
              placeholder={TOOLS}
              value={tools}
              onChange={(event) => onChange({ ...prompt, tools: event.target.value })}
            />
          )}
        </Field>
      </details>
      <details className="more" open={rest !== "" || settings.stop !== "" || errorAt("rest") !== undefined}>
        <summary>Stop sequences and other parameters</summary>
        <div className="form">
          <Field label="Stop sequences" hint="One per line.">
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                spellCheck={false}
                value={settings.stop}
                onChange={(event) => set("stop", event.target.value)}
              />
            )}
          </Field>
          <Field
            label="Other parameters, as JSON"
            hint="Such as response_format, tool_choice or user."
            error={errorAt("rest")}
          >
            {(ids) => (
              <textarea
                {...ids}
                rows={4}
                spellCheck={false}
                placeholder='{"response_format": {"type": "json_object"}}'
                value={rest}
                onChange={(event) => onChange({ ...prompt, rest: event.target.value })}
              />
            )}
          </Field>
        </div>
      </details>
    </>
  );
}
