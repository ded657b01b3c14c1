import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import type { RequestColumn } from "./columns.tsx";

/** Pixels of one step by key. */
const STEP_PX = 16;
/** A shorter movement of the pointer is a click. */
const DRAG_PX_MIN = 6;

export interface HeadEvents {
  /** @param to - the column's new index, from 0. */
  readonly onMove: (id: string, to: number) => void;
  /** @param width - pixels; undefined for the default. */
  readonly onResize: (id: string, width: number | undefined) => void;
}

interface ColumnHeadProps extends HeadEvents {
  readonly column: RequestColumn;
  readonly at: number;
  readonly sorted: "ascending" | "descending" | undefined;
  /** Missing if the list cannot be sorted by the column. */
  readonly onSort: (() => void) | undefined;
}

/**
 * The head of a column. Dragging it moves the column, dragging its edge resizes it, and a double click on the edge resets
 * the width. With the keyboard: Shift and an arrow, and plus and minus.
 */
export function ColumnHead({ column, at, sorted, onSort, onMove, onResize }: ColumnHeadProps) {
  const { id, header, end } = column;
  const [isDragged, setDragged] = useState(false);
  const widthOf = (element: Element) => Math.round(element.closest("th")!.getBoundingClientRect().width);
  const onKey = (event: KeyboardEvent<HTMLButtonElement>) => {
    const width = widthOf(event.currentTarget);
    const steps: Readonly<Record<string, () => void>> = {
      "+": () => onResize(id, width + STEP_PX),
      "-": () => onResize(id, width - STEP_PX),
      ...(event.shiftKey ? { ArrowLeft: () => onMove(id, at - 1), ArrowRight: () => onMove(id, at + 1) } : undefined),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    steps[event.key]!();
  };
  return (
    <th
      scope="col"
      data-column={id}
      data-dragged={isDragged || undefined}
      className={end ? "end" : undefined}
      aria-sort={sorted}
    >
      <button
        type="button"
        className="sort"
        title={`${onSort === undefined ? "" : "Click to sort. "}Drag to move.`}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight + -"
        onKeyDown={onKey}
        onPointerDown={(event) => dragColumn(event, { id, setDragged, onMove })}
        onClick={onSort}
      >
        <span className="sort-label">{header}</span>
        {onSort === undefined ? null : (
          <span className={sorted === undefined ? "sort-mark sort-off" : "sort-mark"}>
            <Icon name={sorted === "ascending" ? "up" : "down"} size={12} />
          </span>
        )}
      </button>
      {/* For the keyboard, the button resizes. */}
      <span
        className="column-edge"
        aria-hidden="true"
        onPointerDown={(event) => dragEdge(event, widthOf(event.currentTarget), (width) => onResize(id, width))}
        onDoubleClick={() => onResize(id, undefined)}
      />
    </th>
  );
}

/** Follows the pointer until its button is released. */
function followPointer(onPointer: (event: globalThis.PointerEvent) => void, onEnd: (isDone: boolean) => void): void {
  const ending = new AbortController();
  const { signal } = ending;
  const end = (isDone: boolean) => () => {
    ending.abort();
    onEnd(isDone);
  };
  window.addEventListener("pointermove", onPointer, { signal });
  window.addEventListener("pointerup", end(true), { signal });
  window.addEventListener("pointercancel", end(false), { signal });
}

function dragEdge(event: PointerEvent, width: number, onWidth: (width: number) => void): void {
  if (event.button !== 0) return;
  event.preventDefault();
  const start = event.clientX;
  // At most one step per frame: every step lays out the visible rows.
  let frame = 0;
  followPointer(
    ({ clientX }) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => onWidth(width + clientX - start));
    },
    () => {},
  );
}

interface Dragged extends Pick<HeadEvents, "onMove"> {
  readonly id: string;
  readonly setDragged: (is: boolean) => void;
}

function dragColumn(event: PointerEvent<HTMLElement>, { id, setDragged, onMove }: Dragged): void {
  // On a touch screen the same movement scrolls the table.
  if (event.button !== 0 || event.pointerType !== "mouse") return;
  const start = event.clientX;
  const row = event.currentTarget.closest("tr")!;
  let isMoving = false;
  let to: number | undefined;
  followPointer(
    ({ clientX }) => {
      if (!isMoving && Math.abs(clientX - start) < DRAG_PX_MIN) return;
      if (!isMoving) setDragged(true);
      isMoving = true;
      const heads = [...row.querySelectorAll<HTMLElement>("th[data-column]")].filter(
        (th) => th.dataset["column"] !== id,
      );
      to = heads.filter((th) => {
        const { left, width } = th.getBoundingClientRect();
        return left + width / 2 < clientX;
      }).length;
      for (const [at, th] of heads.entries()) th.toggleAttribute("data-drop", at === to);
      row.toggleAttribute("data-drop-end", to === heads.length);
    },
    (isDone) => {
      for (const th of row.querySelectorAll("[data-drop]")) th.removeAttribute("data-drop");
      row.removeAttribute("data-drop-end");
      if (!isMoving) return;
      setDragged(false);
      // The click that ends the drag must not sort.
      const swallow = (click: Event) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
      if (isDone && to !== undefined) onMove(id, to);
    },
  );
}

/** Announces the result of a keyboard movement to screen readers. */
export function useHeadNews(room: RefObject<HTMLElement | null>, events: HeadEvents, headers: readonly string[]) {
  const [news, setNews] = useState("");
  const onMove = (id: string, to: number) => {
    const at = Math.min(headers.length - 1, Math.max(0, to));
    setNews(`Column ${at + 1} of ${headers.length}`);
    events.onMove(id, at);
    // The moved head keeps the focus at its new place.
    requestAnimationFrame(() => {
      const head = room.current?.querySelector<HTMLElement>(`th[data-column="${CSS.escape(id)}"]`);
      head?.querySelector("button")?.focus({ preventScroll: true });
      head?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  };
  const onResize = (id: string, width: number | undefined) => {
    setNews(width === undefined ? "Width reset" : `${width} pixels wide`);
    events.onResize(id, width);
  };
  return { news, onMove, onResize };
}
