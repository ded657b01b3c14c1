import { useRef, useState } from "react";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FEEDBACK } from "../../parts/score-name.ts";
import { useMissing } from "../../session.ts";
import type { RequestRecord } from "./record.ts";
import { useUpdate } from "./update.ts";

interface PairsProps {
  readonly label: string;
  /** Singular, as in "Add property". */
  readonly one: string;
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly isNumber?: boolean;
  readonly onSet: (name: string, value: string) => void;
  /** Without it, existing names cannot be removed. */
  readonly onRemove?: (name: string) => void;
  readonly error: Error | null;
}

/** Names and values that are edited in place. */
function Pairs({ label, one, pairs, isNumber = false, onSet, onRemove, error }: PairsProps) {
  const [editing, edit] = useState<string>();
  /** Gets the focus back when its form closes. */
  const [edited, setEdited] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const missing = useMissing("write");
  return (
    <section className="panel" aria-label={label}>
      <header className="panel-head">
        <h2>{label}</h2>
        <GatedButton scope="write" className="small quiet" ref={adder} onClick={() => setAdding(true)}>
          <Icon name="plus" size={12} /> Add {one}
        </GatedButton>
      </header>
      <dl className="pairs">
        {pairs.map(([name, value]) => (
          <div className="pair" key={name}>
            <dt title={name}>{name}</dt>
            <dd>
              {editing === name ? (
                <PairForm
                  name={name}
                  value={value}
                  isNumber={isNumber}
                  onDone={(_, next) => {
                    edit(undefined);
                    setEdited(name);
                    if (next !== undefined && next !== value) onSet(name, next);
                  }}
                />
              ) : (
                <button
                  type="button"
                  className="pair-value"
                  // biome-ignore lint/a11y/noAutofocus: it replaces its closed form
                  autoFocus={edited === name}
                  aria-label={`Change ${name}, which is ${value}`}
                  aria-disabled={missing === undefined ? undefined : true}
                  title={missing ?? value}
                  onClick={() => missing === undefined && edit(name)}
                >
                  {value === "" ? "(empty)" : value}
                </button>
              )}
              {onRemove === undefined || editing === name ? null : (
                <GatedButton
                  scope="write"
                  className="small quiet"
                  aria-label={`Remove ${name}`}
                  onClick={() => {
                    onRemove(name);
                    adder.current?.focus();
                  }}
                >
                  <Icon name="close" size={12} />
                </GatedButton>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {pairs.length === 0 && !isAdding ? <p className="panel-none">None yet.</p> : null}
      {isAdding ? (
        <PairForm
          value=""
          isNumber={isNumber}
          onDone={(name, value) => {
            setAdding(false);
            adder.current?.focus();
            if (name !== "" && value !== undefined) onSet(name, value);
          }}
        />
      ) : null}
      {error === null ? null : (
        <p className="panel-none field-error" role="alert">
          {error.message}
        </p>
      )}
    </section>
  );
}

interface PairFormProps {
  /** Given if only the value can be edited. */
  readonly name?: string;
  readonly value: string;
  readonly isNumber: boolean;
  readonly onDone: (name: string, value: string | undefined) => void;
}

function PairForm({ name, value, isNumber, onDone }: PairFormProps) {
  return (
    <form
      className="pair-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        onDone(name ?? String(form.get("name")).trim(), String(form.get("value")));
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone("", undefined);
      }}
    >
      {name === undefined ? (
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that opened it
        <input name="name" aria-label="Name" placeholder="Name" required autoFocus autoComplete="off" />
      ) : null}
      <input
        name="value"
        aria-label={name === undefined ? "Value" : `Value of ${name}`}
        placeholder="Value"
        defaultValue={value}
        required={isNumber}
        // biome-ignore lint/a11y/noAutofocus: it replaces the value
        autoFocus={name !== undefined}
        autoComplete="off"
        {...(isNumber ? { type: "number", step: "any" } : {})}
      />
      <button type="submit" className="small">
        Save
      </button>
    </form>
  );
}

export function Properties({ record }: { readonly record: RequestRecord }) {
  const update = useUpdate(record.request_id);
  const set = (name: string, value: string | null) =>
    update.mutate({ method: "PUT", what: "property", body: { [name]: value } });
  return (
    <Pairs
      label="Properties"
      one="property"
      pairs={Object.entries(record.properties)}
      onSet={set}
      onRemove={(name) => set(name, null)}
      error={update.error}
    />
  );
}

export function Scores({ record }: { readonly record: RequestRecord }) {
  const update = useUpdate(record.request_id);
  return (
    <Pairs
      label="Scores"
      one="score"
      isNumber
      pairs={Object.entries(record.scores)
        // Feedback is shown by its own buttons.
        .filter(([name]) => name !== FEEDBACK)
        .map(([name, value]) => [name, String(value)])}
      onSet={(name, value) =>
        update.mutate({ method: "POST", what: "score", body: { scores: { [name]: Number(value) } } })
      }
      error={update.error}
    />
  );
}

export function Feedback({ record }: { readonly record: RequestRecord }) {
  const update = useUpdate(record.request_id);
  const rate = (rating: boolean) => update.mutate({ method: "POST", what: "feedback", body: { rating } });
  return (
    <section className="panel" aria-label="Feedback">
      <header className="panel-head">
        <h2>Feedback</h2>
        <span className="feedback">
          <GatedButton
            scope="write"
            className="small"
            aria-label="Good"
            aria-pressed={record.feedback_rating === true}
            onClick={() => rate(true)}
          >
            <Icon name="up_thumb" />
          </GatedButton>
          <GatedButton
            scope="write"
            className="small"
            aria-label="Bad"
            aria-pressed={record.feedback_rating === false}
            onClick={() => rate(false)}
          >
            <Icon name="down_thumb" />
          </GatedButton>
        </span>
      </header>
      {update.error === null ? null : (
        <p className="panel-none field-error" role="alert">
          {update.error.message}
        </p>
      )}
    </section>
  );
}
