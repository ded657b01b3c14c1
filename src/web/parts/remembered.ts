import { useState } from "react";

/**
 * A choice that this browser stores across pages.
 *
 * @param name - of the choice, in the browser's storage.
 * @param options - the first is the default.
 */
export function useRemembered<T extends string>(
  name: string,
  options: readonly [T, ...T[]],
): readonly [T, (value: T) => void] {
  const key = `weir.${name}`;
  const [chosen, setChosen] = useState(
    () => options.find((option) => option === localStorage.getItem(key)) ?? options[0],
  );
  const choose = (value: T) => {
    localStorage.setItem(key, value);
    setChosen(value);
  };
  return [chosen, choose];
}
