import { useCallback, useMemo } from "react";
import { JsonView } from "react-json-view-lite";
import { inGroups } from "./in-groups.ts";

/** So many members are open at first, outer ones before inner ones; the rest opens with a click or a key. */
const OPEN_MEMBERS_MAX = 300;

const CLASSES = {
  container: "json-tree",
  childFieldsContainer: "json-children",
  basicChildStyle: "json-member",
  label: "json-name",
  clickableLabel: "json-name json-clickable",
  nullValue: "json-null",
  undefinedValue: "json-null",
  stringValue: "json-string",
  booleanValue: "json-boolean",
  numberValue: "json-number",
  otherValue: "json-null",
  punctuation: "json-punctuation",
  collapseIcon: "json-collapse",
  expandIcon: "json-expand",
  collapsedContent: "json-collapsed",
  noQuotesForStringValues: false,
  quotesForFieldNames: true,
  ariaLables: { collapseJson: "Fold", expandJson: "Unfold" },
  stringifyStringValues: true,
};

/** A JSON value, in colours, each object and list of which can be folded. */
export default function JsonTree({ value, label }: { readonly value: object; readonly label: string }) {
  const shown = useMemo(() => inGroups(value) as object, [value]);
  const levels = useMemo(() => openLevels(shown), [shown]);
  // The same function as long as it says the same: the tree opens and folds all its nodes again for another one.
  const isOpen = useCallback((level: number) => level < levels, [levels]);
  return <JsonView data={shown} style={CLASSES} shouldExpandNode={isOpen} clickToExpandNode aria-label={label} />;
}

/** How many levels are open, so that not more than `OPEN_MEMBERS_MAX` members are; at least one is. */
export function openLevels(value: object): number {
  let level: readonly unknown[] = [value];
  for (let levels = 0, shown = 0; ; levels++) {
    const next: unknown[] = [];
    for (const each of level) {
      const members = typeof each === "object" && each !== null ? Object.values(each) : [];
      // Looked at before they are gathered: a list may have more members than a call takes arguments.
      if (shown + next.length + members.length > OPEN_MEMBERS_MAX) return Math.max(1, levels);
      next.push(...members);
    }
    shown += next.length;
    if (next.length === 0) return Math.max(1, levels);
    level = next;
  }
}
