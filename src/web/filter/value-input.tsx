import { useQuery } from "@tanstack/react-query";
import { type Ref, useId } from "react";
import { get, post } from "../api.ts";
import { MomentInput } from "../parts/moment-input.tsx";
import { type FilterField, PROPERTY_NAME } from "./fields.ts";
import type { FilterValue } from "./tree.ts";

interface ValueInputProps {
  readonly field: FilterField;
  readonly name: string;
  readonly value: FilterValue;
  readonly onChange: (value: FilterValue) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** What a condition compares with, as its field takes it; proposes what was recorded. */
export function ValueInput({ field, name, value, onChange, inputRef }: ValueInputProps) {
  const list = useId();
  const proposals = useProposals(field, name);
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
    return (
      <MomentInput
        aria-label={field.label}
        inputRef={inputRef}
        value={typeof value === "string" ? value : ""}
        onChange={onChange}
      />
    );
  }
  return (
    <>
      <input
        aria-label={field.label}
        ref={inputRef}
        type="text"
        placeholder="Value"
        list={proposals.length === 0 ? undefined : list}
        autoComplete="off"
        spellCheck={false}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {proposals.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

const PROPOSALS_MAX = 50;
const PROPOSALS_STALE_MS = 60_000;

interface Model {
  readonly provider: string;
  readonly model: string;
}

function useProposals({ id, kind, named }: FilterField, name: string): readonly string[] {
  const isModel = id === "model" || id === "provider";
  const isProperty = named === PROPERTY_NAME;
  const models = useQuery({
    queryKey: ["models"],
    queryFn: ({ signal }) => get<readonly Model[]>("/v1/models", signal),
    enabled: isModel,
    staleTime: PROPOSALS_STALE_MS,
  });
  const values = useQuery({
    queryKey: ["property-values", name],
    queryFn: ({ signal }) =>
      post<readonly { value: string }[]>(
        `/v1/property/${encodeURIComponent(name)}/search`,
        { limit: PROPOSALS_MAX },
        signal,
      ),
    enabled: isProperty && name !== "",
    staleTime: PROPOSALS_STALE_MS,
    retry: false,
  });
  const names = usePropertyNames(kind === "key");
  if (isModel)
    return [...new Set((models.data ?? []).map((row) => row[id as "model" | "provider"]))].slice(0, PROPOSALS_MAX);
  if (isProperty) return (values.data ?? []).map(({ value }) => value);
  return kind === "key" ? names : [];
}

export function usePropertyNames(enabled: boolean): readonly string[] {
  const { data } = useQuery({
    queryKey: ["property-names"],
    queryFn: ({ signal }) =>
      post<readonly { property: string }[]>("/v1/property/query", { limit: PROPOSALS_MAX * 4 }, signal),
    enabled,
    staleTime: PROPOSALS_STALE_MS,
  });
  return data?.map(({ property }) => property) ?? [];
}
