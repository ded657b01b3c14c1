import type { Ref } from "react";
import { FIELD_BY_ID, FIELD_SECTIONS, FILTER_OPERATORS, PROPERTY_NAME } from "./fields.ts";
import { type FilterCondition, operatorOf } from "./model.ts";
import { ProposingInput } from "./proposing-input.tsx";
import { usePropertyNames, ValueInput } from "./value-input.tsx";

/** A new condition on a field. */
export function newCondition(field = "user"): FilterCondition {
  const { kind } = FIELD_BY_ID.get(field)!;
  const operator = kind === "number" ? "gte" : FILTER_OPERATORS[kind][0]!.id;
  return { kind: "condition", field, name: "", operator, value: kind === "boolean" ? true : "" };
}

interface ConditionEditorProps {
  readonly condition: FilterCondition;
  readonly onChange: (condition: FilterCondition) => void;
  readonly valueRef?: Ref<HTMLInputElement>;
}

/** Field, operator and value of a condition. */
export function ConditionEditor({ condition, onChange, valueRef }: ConditionEditorProps) {
  const field = FIELD_BY_ID.get(condition.field)!;
  return (
    <div className="condition">
      <select
        aria-label="Field"
        value={condition.field}
        onChange={(event) => onChange(newCondition(event.target.value))}
      >
        {FIELD_SECTIONS.map(([heading, fields]) => (
          <optgroup key={heading} label={heading}>
            {fields.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {field.named === undefined ? null : (
        <NameInput
          label={field.named}
          isProperty={field.named === PROPERTY_NAME}
          value={condition.name}
          onChange={(name) => onChange({ ...condition, name })}
        />
      )}
      <select
        aria-label="Operator"
        value={condition.operator}
        onChange={(event) => {
          const operator = event.target.value;
          const had = operatorOf(field, condition.operator)?.fixed === null;
          onChange({ ...condition, operator, ...(had ? { value: newCondition(condition.field).value } : {}) });
        }}
      >
        {FILTER_OPERATORS[field.kind].map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      {operatorOf(field, condition.operator)?.fixed === null ? null : (
        <ValueInput
          field={field}
          name={condition.name}
          value={condition.value}
          onChange={(value) => onChange({ ...condition, value })}
          {...(valueRef === undefined ? {} : { inputRef: valueRef })}
        />
      )}
    </div>
  );
}

interface NameInputProps {
  readonly label: string;
  readonly isProperty: boolean;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function NameInput({ label, isProperty, value, onChange }: NameInputProps) {
  const names = usePropertyNames(isProperty);
  return <ProposingInput label={label} placeholder={label} value={value} proposals={names} onChange={onChange} />;
}
