import { type RefObject, useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Rows rendered beyond both edges, so that a step of the wheel shows no gaps. */
const BEYOND_ROWS = 8;
/** Rows rendered completely per frame. */
const WHOLE_A_FRAME = 5;
/** Height of what is above the rows, without the histogram. */
const ABOVE_PX = 200;
const NONE: ReadonlySet<number> = new Set();

interface Heights {
  /** Height of every row. */
  readonly rowPx: number;
  /** Height of the head, which stays above them while they scroll. */
  readonly headPx: number;
}

interface Rows {
  readonly count: number;
  readonly rowPx: number;
  /** The last scroll offset of the list. */
  readonly offsetPx: number;
}

/** Rows from `first` up to `end`, exclusive. */
interface Span {
  readonly first: number;
  readonly end: number;
}

interface RowsInView extends Span {
  /** Rows rendered with their main texts only, because the list scrolls too fast to render more in a frame. */
  readonly plain: ReadonlySet<number>;
}

/**
 * Which of many rows of equal height are visible, with some beyond the edges. The caller renders with each scroll step. A
 * step that adds more than `WHOLE_A_FRAME` rows adds them plain; later steps and frames complete that many at a time.
 */
export function useRowsInView(scroller: RefObject<HTMLElement | null>, { count, rowPx, offsetPx }: Rows): RowsInView {
  // The first rows render before the container is measured, and none that are out of view: they take half of that time.
  const [shown, setShown] = useState(() => ({ ...firstSpan(offsetPx, rowPx), plain: NONE }));
  // Not a layout effect: those of its children run before its ref is set.
  useEffect(() => {
    const element = scroller.current!;
    let now = shown;
    let isFast = false;
    let frame = 0;
    const show = (next: RowsInView) => {
      now = next;
      setShown(next);
    };
    const look = () => {
      const span = spanAt(element.scrollTop, element.clientHeight, rowPx);
      if (span.first === now.first && span.end === now.end) return;
      const added = rowsOf(span).filter((row) => !isIn(now, row));
      const kept = [...now.plain].filter((row) => isIn(span, row));
      isFast = added.length > WHOLE_A_FRAME;
      show({ ...span, plain: new Set(isFast ? [...kept, ...added] : kept) });
      fillLater();
    };
    const fillLater = () => {
      if (now.plain.size > 0 && frame === 0) frame = requestAnimationFrame(fill);
    };
    const fill = () => {
      frame = 0;
      if (!isFast) flushSync(() => show({ ...now, plain: withoutNext(now.plain, element.scrollTop / rowPx) }));
      isFast = false;
      fillLater();
    };
    // In the same frame as the scroll, not in the next one.
    const onScroll = () => flushSync(look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroller, rowPx]);
  const end = Math.min(count, shown.end);
  return { first: Math.min(shown.first, Math.max(0, end - 1)), end, plain: shown.plain };
}

const rowsOf = ({ first, end }: Span): readonly number[] => Array.from({ length: end - first }, (_, at) => first + at);
const isIn = ({ first, end }: Span, row: number): boolean => row >= first && row < end;

/** The rows that are still plain one frame later: rows at and below the upper edge are completed before those above it. */
function withoutNext(plain: ReadonlySet<number>, edge: number): ReadonlySet<number> {
  const isAbove = (row: number) => Number(row + 1 < edge);
  return new Set([...plain].sort((a, b) => isAbove(a) - isAbove(b) || a - b).slice(WHOLE_A_FRAME));
}

/** Scrolls only as far as needed to make a row completely visible. */
export function bringIntoView(scroller: HTMLElement, index: number, { rowPx, headPx }: Heights): void {
  const top = index * rowPx;
  const lowest = top + rowPx + headPx - scroller.clientHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (lowest > scroller.scrollTop) scroller.scrollTop = lowest;
}

/** About the rows in view if the list takes the window but for what is above it; the list is measured in the next frame. */
function firstSpan(scrollTop: number, rowPx: number): Span {
  const { first, end } = spanAt(scrollTop, Math.max(0, window.innerHeight - ABOVE_PX), rowPx);
  return { first, end: end - BEYOND_ROWS };
}

function spanAt(scrollTop: number, height: number, rowPx: number): Span {
  const first = Math.floor(scrollTop / rowPx) - BEYOND_ROWS;
  const end = Math.ceil((scrollTop + height) / rowPx) + BEYOND_ROWS;
  return { first: Math.max(0, first), end };
}
