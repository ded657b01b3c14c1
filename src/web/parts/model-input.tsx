import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useId } from "react";
import { modelNamesQuery } from "../name-queries.ts";

/** As many as browsers show well; typing narrows them down. */
const NAMES_MAX = 50;

interface ModelInputProps extends Omit<ComponentProps<"input">, "value"> {
  readonly value: string;
}

/** An input for a model string, which suggests routes and models. */
export function ModelInput({ value, ...rest }: ModelInputProps) {
  const list = useId();
  const { data: names = [] } = useQuery(modelNamesQuery);
  // A comma starts another name.
  const at = value.lastIndexOf(",") + 1;
  const begun = value.slice(0, at);
  const typed = value.slice(at).trim().toLowerCase();
  const fitting = names.filter((name) => name.toLowerCase().includes(typed)).slice(0, NAMES_MAX);
  return (
    <>
      <input {...rest} type="text" value={value} list={list} autoComplete="off" spellCheck={false} />
      <datalist id={list}>
        {fitting.map((name) => (
          <option key={name} value={begun + name} />
        ))}
      </datalist>
    </>
  );
}
