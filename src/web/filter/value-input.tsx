import { useQuery } from "@tanstack/react-query";
import type { Ref } from "react";
import { modelsQuery, propertyNamesQuery, propertyValuesQuery } from "../name-queries.ts";
import { MomentInput } from "../parts/moment-input.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { type FilterField, PROPERTY_NAME } from "./fields.ts";
import { PROPOSALS_MAX, ProposingInput } from "./proposing-input.tsx";
import type { FilterValue } from "./tree.ts";

interface ValueInputProps {
  readonly field: FilterField;
  readonly name: string;
  readonly value: FilterValue;
  readonly onChange: (value: FilterValue) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** The value of a condition, in its field's form; suggests recorded values. */
export function ValueInput({ field, name, value, onChange, inputRef }: ValueInputProps) {
  const text = typeof value === "string" ? value : "";
  const proposals = useProposals(field, name, text);
  if (field.kind === "boolean") {
    return (
      <select
        aria-label={field.label}
        value={value === false ? "no" : "yes"}
        onChange={(event) => onChange(event.target.value === "yes")}
      >
        <option value="yes">yes</option>
        <option value="no">no</option>
      </select>
    );
  }
  if (field.kind === "number") {
    return (
      <input
        aria-label={field.label}
        type="number"
        step="any"
        ref={inputRef}
        placeholder={field.unit ?? "Value"}
        value={typeof value === "number" ? value : ""}
        onChange={(event) => onChange(event.target.value === "" ? "" : Number(event.target.value))}
      />
    );
  }
  if (field.kind === "time") {
    return <MomentInput aria-label={field.label} inputRef={inputRef} value={text} onChange={onChange} />;
  }
  return (
    <ProposingInput
      label={field.label}
      placeholder="Value"
      value={text}
      proposals={proposals}
      onChange={onChange}
      inputRef={inputRef}
    />
  );
}

const PROPOSALS_STALE_MS = 60_000;

/** Recorded values of this field. There may be any number, so only those that contain the typed text are requested. */
function useProposals({ id, kind, named }: FilterField, name: string, typed: string): readonly string[] {
  const isModel = id === "model" || id === "provider";
  const isProperty = named === PROPERTY_NAME;
  const models = useQuery({ ...modelsQuery, enabled: isModel, staleTime: PROPOSALS_STALE_MS });
  const [property, part] = [useDebounced(name), useDebounced(typed)];
  const values = useQuery({
    ...propertyValuesQuery(property, part, PROPOSALS_MAX),
    enabled: isProperty && property !== "",
    staleTime: PROPOSALS_STALE_MS,
    retry: false,
  });
  const names = usePropertyNames(kind === "key");
  if (isModel) return [...new Set((models.data ?? []).map((row) => row[id]))];
  if (isProperty) return values.data ?? [];
  return kind === "key" ? names : [];
}

export function usePropertyNames(enabled: boolean): readonly string[] {
  const { data = [] } = useQuery({ ...propertyNamesQuery, enabled, staleTime: PROPOSALS_STALE_MS });
  return data;
}
