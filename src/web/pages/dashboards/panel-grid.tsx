import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { placedAt, resized, type Step, stepped } from "./grid.ts";
import { GRID_COLUMNS, type Place } from "./shapes.ts";

/** Pixels; the style sheet has the same values. */
const ROW_PX = 58;
const GAP_PX = 12;

/** Handles that move and resize a panel, by dragging or with the arrow keys. */
interface Handles {
  readonly move: HandleProps;
  readonly size: HandleProps;
}

interface HandleProps {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

interface PanelGridProps {
  readonly titles: readonly string[];
  readonly places: readonly Place[];
  /** Undefined if panels cannot be moved. */
  readonly onPlaces: ((places: Place[]) => void) | undefined;
  readonly children: (at: number, handles: Handles) => ReactNode;
}

/** Panels on their grid; on a narrow screen one below the other. */
export function PanelGrid({ titles, places, onPlaces, children }: PanelGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<readonly Place[]>();
  const [said, setSaid] = useState("");
  const shown = dragged ?? places;

  const drag = (at: number, isSize: boolean) => (event: PointerEvent<HTMLElement>) => {
    if (onPlaces === undefined || event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const [startX, startY] = [event.pageX, event.pageY];
    const column = (grid.current!.clientWidth + GAP_PX) / GRID_COLUMNS;
    const from = places[at]!;
    let latest: Place[] | undefined;
    const onMove = ({ pageX, pageY }: globalThis.PointerEvent) => {
      const [dx, dy] = [Math.round((pageX - startX) / column), Math.round((pageY - startY) / (ROW_PX + GAP_PX))];
      const by = isSize ? { ...from, w: from.w + dx, h: from.h + dy } : { ...from, x: from.x + dx, y: from.y + dy };
      latest = placedAt(places, at, by);
      setDragged(latest);
    };
    const end = (isDone: boolean) => {
      handle.removeEventListener("pointermove", onMove);
      handle.removeEventListener("pointerup", onUp);
      handle.removeEventListener("pointercancel", onCancel);
      removeEventListener("keydown", onEscape, true);
      setDragged(undefined);
      if (isDone && latest !== undefined) onPlaces(latest);
    };
    const onUp = () => end(true);
    const onCancel = () => end(false);
    const onEscape = (pressed: globalThis.KeyboardEvent) => {
      if (pressed.key === "Escape") end(false);
    };
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener("pointerup", onUp);
    handle.addEventListener("pointercancel", onCancel);
    addEventListener("keydown", onEscape, true);
  };

  const press =
    (at: number, change: (places: readonly Place[], at: number, key: Step) => Place[]) =>
    (event: KeyboardEvent<HTMLElement>) => {
      if (onPlaces === undefined || !/^Arrow(?:Left|Right|Up|Down)$/.test(event.key)) return;
      event.preventDefault();
      const next = change(places, at, event.key as Step);
      onPlaces(next);
      const { x, y, w, h } = next[at]!;
      setSaid(`${titles[at]}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`);
    };

  return (
    <>
      <div className="board" ref={grid} data-dragged={dragged !== undefined}>
        {shown.map((place, at) => (
          <div key={at} className="board-place" style={areaOf(place)}>
            {children(at, {
              move: { onPointerDown: drag(at, false), onKeyDown: press(at, stepped) },
              size: { onPointerDown: drag(at, true), onKeyDown: press(at, resized) },
            })}
          </div>
        ))}
      </div>
      <p className="unseen" role="status">
        {said}
      </p>
    </>
  );
}

/** For the style sheet, which uses another order on a narrow screen. */
const areaOf = ({ x, y, w, h }: Place) =>
  ({ "--columns": `${x + 1} / span ${w}`, "--rows": `${y + 1} / span ${h}` }) as CSSProperties;

/** The height of a panel with this many rows. */
export const heightOf = (rows: number): number => rows * (ROW_PX + GAP_PX) - GAP_PX;
