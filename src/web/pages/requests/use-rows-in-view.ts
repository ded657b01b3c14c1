import { type RefObject, useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Rows beyond both edges that are in the page too: a step of the wheel shows nothing empty. */
const BEYOND_ROWS = 8;

interface Heights {
  /** Of every row. */
  readonly rowPx: number;
  /** Of the head, which stays above them while they scroll. */
  readonly headPx: number;
}

interface Rows {
  readonly count: number;
  readonly rowPx: number;
  /** Where the list was when it was seen last. */
  readonly offsetPx: number;
}

/** Rows from `first` up to `end`, exclusive. */
interface Span {
  readonly first: number;
  readonly end: number;
}

/** Which of many rows of the same height are in view, and those beside them. What uses it is drawn with each step of a scroll. */
export function useRowsInView(room: RefObject<HTMLElement | null>, { count, rowPx, offsetPx }: Rows): Span {
  // Before the room is measured it is taken to be as high as the window: the first rows are drawn at once.
  const [span, setSpan] = useState(() => spanAt(offsetPx, window.innerHeight, rowPx));
  // Not one of layout: those of what is in the room run before its ref is set.
  useEffect(() => {
    const element = room.current!;
    let shown = span;
    const look = () => {
      const next = spanAt(element.scrollTop, element.clientHeight, rowPx);
      if (next.first === shown.first && next.end === shown.end) return;
      shown = next;
      setSpan(next);
    };
    // In the frame of the scroll itself, not in the one after it.
    const onScroll = () => flushSync(look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [room, rowPx]);
  const end = Math.min(count, span.end);
  return { first: Math.min(span.first, Math.max(0, end - 1)), end };
}

/** Scrolls no further than is needed for a row to be seen whole. */
export function bringIntoView(room: HTMLElement, index: number, { rowPx, headPx }: Heights): void {
  const top = index * rowPx;
  const lowest = top + rowPx + headPx - room.clientHeight;
  if (top < room.scrollTop) room.scrollTop = top;
  else if (lowest > room.scrollTop) room.scrollTop = lowest;
}

function spanAt(scrollTop: number, height: number, rowPx: number): Span {
  const first = Math.floor(scrollTop / rowPx) - BEYOND_ROWS;
  const end = Math.ceil((scrollTop + height) / rowPx) + BEYOND_ROWS;
  return { first: Math.max(0, first), end };
}
