import { useCallback, useMemo } from "react";
import { JsonView } from "react-json-view-lite";
import { inGroups } from "./in-groups.ts";

/** Members that are open at first, outer ones before inner ones; the rest opens with a click or a key. */
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

/** A JSON value in colours; each object and list can be folded. */
export default function JsonTree({ value, label }: { readonly value: object; readonly label: string }) {
  const shown = useMemo(() => inGroups(value) as object, [value]);
  const levels = useMemo(() => openLevels(shown), [shown]);
  // A stable function while its result is the same: with a new one, the tree resets the state of all nodes.
  const isOpen = useCallback((level: number) => level < levels, [levels]);
  return <JsonView data={shown} style={CLASSES} shouldExpandNode={isOpen} clickToExpandNode aria-label={label} />;
}

/** How many levels can be open with at most `OPEN_MEMBERS_MAX` members; at least one. */
export function openLevels(value: object): number {
  let level: readonly unknown[] = [value];
  for (let levels = 0, shown = 0; ; levels++) {
    const next: unknown[] = [];
    for (const each of level) {
      const members = typeof each === "object" && each !== null ? Object.values(each) : [];
      // Checked before `push`: a list may have more members than a call can take as arguments.
      if (shown + next.length + members.length > OPEN_MEMBERS_MAX) return Math.max(1, levels);
      next.push(...members);
    }
    shown += next.length;
    if (next.length === 0) return Math.max(1, levels);
    level = next;
  }
}
