import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api.ts";
import { Confirm, Trouble } from "../../parts/confirm-button.tsx";
import { Field } from "../../parts/field.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { daysText, type RetentionRules, removedBy } from "./removal.ts";
import type { PropertyRule, RetentionView } from "./shapes.ts";

const NEW_RULE: PropertyRule = { property: "", value: null, days: null, body_days: null };

/** Empty means as configured, 0 means forever. */
const daysOf = (text: FormDataEntryValue | string | null) => (text === null || text === "" ? null : Number(text));

export function RetentionForm({ view }: { readonly view: RetentionView }) {
  const [rules, setRules] = useState(view.properties);
  /** Rules that wait for confirmation, because they remove data. */
  const [toConfirm, setToConfirm] = useState<RetentionRules>();
  const work = useMutation({
    mutationFn: (body: RetentionRules) => call("PUT", "/v1/retention", { body }),
    onSuccess: () => setToConfirm(undefined),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const next = { days: daysOf(form.get("days")), body_days: daysOf(form.get("body_days")), properties: rules };
    work.reset();
    if (removedBy(view, next).length > 0) setToConfirm(next);
    else work.mutate(next);
  };
  const { configured } = view;
  return (
    <form className="form form-wide" onSubmit={submit}>
      <div className="fields">
        <Days label="Days that records are kept" name="days" value={view.days} configured={configured.days} />
        <Days
          label="Days that bodies are kept"
          name="body_days"
          value={view.body_days}
          configured={configured.body_days}
        />
      </div>
      <fieldset className="choices">
        <legend>Requests with a property are kept longer or shorter; of several rules the longest counts</legend>
        <div className="stack">
          {rules.map((rule, at) => (
            <Rule
              key={at}
              rule={rule}
              onChange={(next) => setRules(rules.map((each, index) => (index === at ? next : each)))}
              onRemove={() => setRules(rules.filter((_, index) => index !== at))}
            />
          ))}
          <div>
            <button type="button" className="small" onClick={() => setRules([...rules, NEW_RULE])}>
              <Icon name="plus" size={12} /> Property
            </button>
          </div>
        </div>
      </fieldset>
      {toConfirm === undefined ? (
        <Trouble error={work.error} />
      ) : (
        <Confirm
          title="Keep less than until now?"
          action="Save and remove"
          danger
          work={work}
          onConfirm={() => work.mutate(toConfirm)}
          onClose={() => setToConfirm(undefined)}
        >
          <p>The next run, every night, permanently removes:</p>
          <ul>
            {removedBy(view, toConfirm).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Confirm>
      )}
      <div className="form-actions">
        <GatedButton scope="admin" type="submit" className="primary" disabled={work.isPending}>
          Save retention
        </GatedButton>
        <span role="status" className="muted">
          {work.isSuccess ? "Saved; it holds from the next run on" : ""}
        </span>
      </div>
    </form>
  );
}

interface DaysProps {
  readonly label: string;
  readonly name: string;
  readonly value: number | null;
  readonly configured: number;
}

function Days({ label, name, value, configured }: DaysProps) {
  return (
    <Field label={label} hint={`Empty: as configured, ${daysText(configured)}. 0: forever.`}>
      {(ids) => <input {...ids} name={name} type="number" min={0} max={36_500} step={1} defaultValue={value ?? ""} />}
    </Field>
  );
}

interface RuleProps {
  readonly rule: PropertyRule;
  readonly onChange: (rule: PropertyRule) => void;
  readonly onRemove: () => void;
}

function Rule({ rule, onChange, onRemove }: RuleProps) {
  const days = { type: "number", min: 0, max: 36_500, step: 1 } as const;
  return (
    <div className="fields fields-rule">
      <Field label="Property">
        {(ids) => (
          <input
            {...ids}
            required
            value={rule.property}
            onChange={(event) => onChange({ ...rule, property: event.target.value })}
          />
        )}
      </Field>
      <Field label="Value, or any">
        {(ids) => (
          <input
            {...ids}
            value={rule.value ?? ""}
            onChange={(event) => onChange({ ...rule, value: event.target.value || null })}
          />
        )}
      </Field>
      <Field label="Days">
        {(ids) => (
          <input
            {...ids}
            {...days}
            value={rule.days ?? ""}
            onChange={(event) => onChange({ ...rule, days: daysOf(event.target.value) })}
          />
        )}
      </Field>
      <Field label="Days of bodies">
        {(ids) => (
          <input
            {...ids}
            {...days}
            value={rule.body_days ?? ""}
            onChange={(event) => onChange({ ...rule, body_days: daysOf(event.target.value) })}
          />
        )}
      </Field>
      <button
        type="button"
        className="quiet"
        aria-label={`Remove the rule of ${rule.property || "no property"}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
