import { useMemo, useState } from "react";
import { type Choices, readChoices, storeChoices, storedChoices } from "../column-choice.ts";
import type { View } from "./views.ts";

/** Unsaved column changes of views, kept until the page is reloaded. */
const changed = new Map<string, Choices>();

/** The list's columns: those of the open view, else those stored in this browser. */
export function useColumns(view: View | undefined) {
  const [own, setOwn] = useState(storedChoices);
  const [, redraw] = useState(0);
  const stored = view?.columns ?? undefined;
  const ofView = useMemo(() => (stored === undefined ? undefined : readChoices(stored)), [stored]);
  if (view === undefined || ofView === undefined) {
    const setColumns = (choices: Choices) => {
      storeChoices(choices);
      setOwn(choices);
    };
    return { columns: own, setColumns };
  }
  const setColumns = (choices: Choices) => {
    changed.set(view.id, choices);
    redraw((times) => times + 1);
  };
  return { columns: changed.get(view.id) ?? ofView, setColumns };
}

/** After this, the view has its stored columns again. */
export const forgetChanges = (id: string): void => void changed.delete(id);
