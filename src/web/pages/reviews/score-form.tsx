import { useRef, useState } from "react";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Field } from "../../parts/field.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { type Option, optionsOf } from "./options.ts";
import type { GivenScore, ReviewScore, ShownReview } from "./shapes.ts";
import type { Current, Reviewing } from "./use-reviewing.ts";

const KEYS = [
  ["1 … 9", "choose, then the next score"],
  ["y n", "yes, no"],
  ["j k", "the next score, the score before"],
  ["Enter", "save and continue"],
  ["s", "skip"],
  ["b", "back to the one before"],
  ["c", "comment; Enter saves, Esc leaves it"],
  ["?", "these keys"],
] as const;

interface ScoreFormProps {
  readonly review: ShownReview;
  readonly reviewing: Reviewing;
  readonly current: Current;
}

/** The scores for one request. */
export function ScoreForm({ review: { scores }, reviewing, current: { previous } }: ScoreFormProps) {
  const [given, setGiven] = useState<ReadonlyMap<string, GivenScore>>(new Map(Object.entries(previous?.scores ?? {})));
  const [active, setActive] = useState(0);
  const [isHelping, setHelping] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const give = (at: number, value: GivenScore) => {
    setGiven(new Map(given).set(scores[at]!.name, value));
    setActive(Math.min(at + 1, scores.length - 1));
  };
  const save = () => {
    if (given.size === 0) return;
    reviewing.answer({ scores: Object.fromEntries(given), reason: comment.current?.value ?? "" });
  };
  const skip = () => reviewing.answer({ skip: true });
  const press = (at: number, option: Option | undefined) => (option === undefined ? "unused" : give(at, option.value));
  const boolean = (value: boolean) => {
    const at = scores[active]!.kind === "boolean" ? active : scores.findIndex(({ kind }) => kind === "boolean");
    return at < 0 ? "unused" : give(at, value);
  };
  const step = (by: number) => setActive((active + by + scores.length) % scores.length);
  const digits = Array.from({ length: 9 }, (_, index) => [
    String(index + 1),
    () => press(active, optionsOf(scores[active]!)[index]),
  ]);
  useKeys({
    ...Object.fromEntries(digits),
    y: () => boolean(true),
    n: () => boolean(false),
    j: () => step(1),
    k: () => step(-1),
    s: skip,
    b: reviewing.back,
    c: () => comment.current?.focus(),
    "?": () => setHelping(true),
    Enter: ({ target }) =>
      target instanceof Element && target.closest("a, button:not([aria-pressed=true]), summary") ? "unused" : save(),
  });
  return (
    <section className="panel review-form" aria-label="Scores">
      {scores.map((score, at) => (
        <ScoreInput
          key={score.name}
          score={score}
          given={given.get(score.name)}
          isActive={at === active}
          onGive={(value) => give(at, value)}
        />
      ))}
      <Field label="Comment">
        {(ids) => (
          <textarea
            {...ids}
            ref={comment}
            rows={2}
            maxLength={4_000}
            defaultValue={previous?.reason ?? ""}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              save();
            }}
          />
        )}
      </Field>
      <Trouble error={reviewing.error} />
      <div className="review-actions">
        <GatedButton scope="write" className="primary" disabled={reviewing.isBusy || given.size === 0} onClick={save}>
          Save <kbd>Enter</kbd>
        </GatedButton>
        <GatedButton scope="write" disabled={reviewing.isBusy} onClick={skip}>
          Skip <kbd>s</kbd>
        </GatedButton>
        <button type="button" disabled={reviewing.isBusy} onClick={reviewing.back}>
          Back <kbd>b</kbd>
        </button>
        <button type="button" className="quiet" onClick={() => setHelping(true)}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      {isHelping ? <KeyHelp keys={KEYS} onClose={() => setHelping(false)} /> : null}
    </section>
  );
}

interface ScoreInputProps {
  readonly score: ReviewScore;
  readonly given: GivenScore | undefined;
  /** Whether the digit keys apply to it. */
  readonly isActive: boolean;
  readonly onGive: (value: GivenScore) => void;
}

function ScoreInput({ score, given, isActive, onGive }: ScoreInputProps) {
  return (
    <fieldset className="review-score" data-active={isActive}>
      <legend>{score.name}</legend>
      {score.description === undefined ? null : <p className="muted">{score.description}</p>}
      <div className="review-options">
        {optionsOf(score).map(({ label, value, key }) => (
          <button key={label} type="button" aria-pressed={given === value} onClick={() => onGive(value)}>
            {label} {isActive || score.kind === "boolean" ? <kbd>{key}</kbd> : null}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
