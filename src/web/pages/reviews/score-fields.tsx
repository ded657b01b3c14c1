import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { readChoices } from "./choices.ts";
import type { ReviewScore } from "./shapes.ts";

/** A score of a review while it is edited. */
export interface DraftScore {
  readonly id: number;
  readonly name: string;
  readonly kind: ReviewScore["kind"];
  /** For a choice: `good=1, bad=0`. For a number: `0 to 1`. */
  readonly choices: string;
}

const SCORES_MAX = 5;
const HINTS = {
  choice: { label: "Choices", hint: "word=number, separated by commas.", empty: "good=1, fair=0.5, bad=0" },
  number: { label: "Range", hint: "From, to, and step.", empty: "1, 5, 1" },
} as const;

interface ScoreFieldsProps {
  readonly scores: readonly DraftScore[];
  readonly onChange: (scores: readonly DraftScore[]) => void;
}

/** The scores that reviewers give. */
export function ScoreFields({ scores, onChange }: ScoreFieldsProps) {
  const change = (id: number, changes: Partial<DraftScore>) =>
    onChange(scores.map((score) => (score.id === id ? { ...score, ...changes } : score)));
  return (
    <>
      {scores.map(({ id, name, kind, choices }) => (
        <div className="fields" key={id}>
          <Field label="Score">
            {(field) => (
              <input
                {...field}
                required
                maxLength={100}
                value={name}
                onChange={(event) => change(id, { name: event.target.value })}
              />
            )}
          </Field>
          <Field label="Kind">
            {(field) => (
              <select
                {...field}
                value={kind}
                onChange={(event) => {
                  const next = event.target.value as DraftScore["kind"];
                  change(id, { kind: next, choices: next === "boolean" ? "" : HINTS[next].empty });
                }}
              >
                <option value="boolean">yes or no</option>
                <option value="choice">choice</option>
                <option value="number">number</option>
              </select>
            )}
          </Field>
          {kind === "boolean" ? null : (
            <Field label={HINTS[kind].label} hint={HINTS[kind].hint}>
              {(field) => (
                <input
                  {...field}
                  required
                  value={choices}
                  onChange={(event) => change(id, { choices: event.target.value })}
                />
              )}
            </Field>
          )}
        </div>
      ))}
      {scores.length < SCORES_MAX ? (
        <button
          type="button"
          className="small add-score"
          onClick={() => onChange([...scores, { id: scores.length, name: "", kind: "boolean", choices: "" }])}
        >
          <Icon name="plus" size={12} /> Add a score
        </button>
      ) : null}
    </>
  );
}

/** In the API's form; the API reports errors. */
export function readDrafts(drafts: readonly DraftScore[]): readonly ReviewScore[] {
  return drafts.map(({ name, kind, choices }) => {
    if (kind === "choice") return { name: name.trim(), kind, choices: [...readChoices(choices)] };
    if (kind === "boolean") return { name: name.trim(), kind };
    const [min = 0, max = 1, step] = choices.split(",").map(Number);
    return { name: name.trim(), kind, min, max, ...(step !== undefined && { step }) };
  });
}
