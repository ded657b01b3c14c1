import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { DraftScore } from "./score-drafts.ts";

/** The API's maximum. */
const SCORES_MAX = 5;
const CHOICES = "good=1, fair=0.5, bad=0";

interface ScoreFieldsProps {
  readonly scores: readonly DraftScore[];
  readonly error: string | undefined;
  readonly onChange: (scores: readonly DraftScore[]) => void;
}

/** The scores that a judge gives. */
export function ScoreFields({ scores, error, onChange }: ScoreFieldsProps) {
  return (
    <fieldset className="choices">
      <legend>Scores</legend>
      {scores.map((score) => (
        <OneScore
          key={score.id}
          score={score}
          onChange={(changed) => onChange(scores.map((each) => (each === score ? changed : each)))}
          onRemove={scores.length === 1 ? undefined : () => onChange(scores.filter((each) => each !== score))}
        />
      ))}
      {scores.length < SCORES_MAX ? (
        <button
          type="button"
          className="small add-score"
          onClick={() => {
            const id = Math.max(...scores.map((each) => each.id)) + 1;
            onChange([...scores, { id, name: "", kind: "boolean", description: "", choices: "" }]);
          }}
        >
          <Icon name="plus" size={12} /> Add a score
        </button>
      ) : null}
      {error === undefined ? null : (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface OneScoreProps {
  readonly score: DraftScore;
  readonly onChange: (score: DraftScore) => void;
  /** Undefined for the only one. */
  readonly onRemove: (() => void) | undefined;
}

function OneScore({ score, onChange, onRemove }: OneScoreProps) {
  const { name, kind, description, choices } = score;
  return (
    <div className="fields score-fields">
      <Field label="Score">
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={100}
            value={name}
            onChange={({ target }) => onChange({ ...score, name: target.value })}
          />
        )}
      </Field>
      <Field label="Kind">
        {(ids) => (
          <select
            {...ids}
            value={kind}
            onChange={({ target }) => {
              const next = target.value as DraftScore["kind"];
              onChange({ ...score, kind: next, choices: next === "choice" && choices === "" ? CHOICES : choices });
            }}
          >
            <option value="number">number, 0 to 1</option>
            <option value="boolean">yes or no</option>
            <option value="choice">choice</option>
          </select>
        )}
      </Field>
      {kind === "choice" ? (
        <Field label="Choices" hint="word=number, separated by commas.">
          {(ids) => (
            <input
              {...ids}
              required
              value={choices}
              onChange={({ target }) => onChange({ ...score, choices: target.value })}
            />
          )}
        </Field>
      ) : null}
      <Field label="Meaning" hint="Shown to the judge.">
        {(ids) => (
          <input
            {...ids}
            maxLength={1_000}
            value={description}
            onChange={({ target }) => onChange({ ...score, description: target.value })}
          />
        )}
      </Field>
      {onRemove === undefined ? null : (
        <button type="button" className="small quiet" aria-label={`Remove the score ${name}`} onClick={onRemove}>
          <Icon name="close" size={12} />
        </button>
      )}
    </div>
  );
}
