import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useId } from "react";
import { modelNamesQuery } from "../known.ts";

/** As many as browsers show well; what is typed makes them fewer. */
const NAMES_MAX = 50;

interface ModelInputProps extends Omit<ComponentProps<"input">, "value"> {
  readonly value: string;
}

/** A field for a model string, which proposes routes and models. */
export function ModelInput({ value, ...rest }: ModelInputProps) {
  const list = useId();
  const { data: names = [] } = useQuery(modelNamesQuery);
  // After a comma comes one more name.
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
