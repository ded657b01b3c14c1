import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { formatCount } from "../../../parts/format.ts";
import { GatedButton } from "../../../parts/gated-button.tsx";
import type { RequestsQuestion } from "../query.ts";
import type { BulkKind } from "./bulk-dialog.tsx";
import type { Selection } from "./use-selection.ts";

const BulkDialog = lazy(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog }));

const AddToDataset = lazy(async () => ({ default: (await import("../../datasets/add-dialog.tsx")).AddToDataset }));

const AddToReview = lazy(async () => ({ default: (await import("../../reviews/add-dialog.tsx")).AddToReview }));

const KINDS: readonly (readonly [BulkKind, string])[] = [
  ["property", "Set property"],
  ["score", "Add score"],
  ["delete", "Delete"],
];

interface BulkBarProps {
  readonly selection: Selection;
  readonly question: RequestsQuestion;
  /** The total number of matches, if known. */
  readonly count: number | undefined;
  /** Rows that are loaded. */
  readonly loaded: number;
  readonly hasMore: boolean;
  /** The selected requests if there are two, the older first. */
  readonly pair: readonly [string, string] | undefined;
}

/** Actions for the selected rows. */
export function BulkBar({ selection, question, count, loaded, hasMore, pair }: BulkBarProps) {
  const [kind, open] = useState<BulkKind | "dataset" | "review">();
  const { ids, isAll } = selection;
  if (ids.size === 0 && !isAll) return null;
  const close = (hasBegun: boolean) => {
    open(undefined);
    if (!hasBegun) return;
    // All that matched are deleted: requests that have arrived since are not selected.
    if (kind === "delete" && isAll) selection.clear();
    else selection.keepLoaded();
  };
  const all = count === undefined ? "All that match" : `All ${formatCount(count)}`;
  return (
    <section className="bulk-bar panel" aria-label="Selection">
      <p role="status">{isAll ? `${all} selected` : `${formatCount(ids.size)} selected`}</p>
      {!isAll && hasMore && ids.size >= loaded ? (
        <button type="button" className="small" onClick={selection.chooseAll}>
          {count === undefined ? "Select all that match" : `Select all ${formatCount(count)} that match`}
        </button>
      ) : null}
      {pair === undefined ? null : (
        <Link
          to="/requests/$id"
          params={{ id: pair[1] }}
          search={{ tab: "compare", with: pair[0] }}
          className="button small"
        >
          Compare
        </Link>
      )}
      {KINDS.map(([each, label]) => (
        <GatedButton
          key={each}
          scope="write"
          className={each === "delete" ? "danger small" : "small"}
          onClick={() => open(each)}
        >
          {label}
        </GatedButton>
      ))}
      <GatedButton scope="write" className="small" onClick={() => open("dataset")}>
        Add to dataset
      </GatedButton>
      <GatedButton scope="write" className="small" onClick={() => open("review")}>
        Review
      </GatedButton>
      <button type="button" className="quiet small" onClick={selection.clear}>
        Clear selection
      </button>
      {kind === undefined ? null : (
        <Suspense fallback={null}>
          {kind === "dataset" ? (
            <AddToDataset target={isAll ? question : { ids: [...ids] }} onClose={close} />
          ) : kind === "review" ? (
            <AddToReview target={isAll ? question : { ids: [...ids] }} onClose={close} />
          ) : (
            <BulkDialog kind={kind} question={question} ids={isAll ? undefined : [...ids]} onClose={close} />
          )}
        </Suspense>
      )}
    </section>
  );
}
