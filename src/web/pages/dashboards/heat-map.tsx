import { type CSSProperties, type KeyboardEvent, useId, useRef, useState } from "react";
import { axisFormat, formatValue, type Tone, toneOf } from "./metrics.ts";
import type { PanelMetric, Threshold } from "./shapes.ts";

interface HeatMapProps {
  readonly label: string;
  readonly metric: PanelMetric;
  readonly thresholds: readonly Threshold[];
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Whether cells have space for their values. */
  readonly hasText: boolean;
  readonly valueAt: (row: number, column: number) => number | null;
  readonly onOpen: (row: number, column: number) => void;
}

type Cell = readonly [row: number, column: number];

const STEPS: Readonly<Record<string, Cell>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** Values as colours. For the keyboard it is one control: arrows move from cell to cell, Enter opens the requests. */
export function HeatMap({ label, metric, thresholds, rows, columns, hasText, valueAt, onOpen }: HeatMapProps) {
  const [at, setAt] = useState<Cell>([0, 0]);
  const grid = useRef<HTMLTableElement>(null);
  const hint = useId();
  const values = rows.map((_, row) => columns.map((_, column) => valueAt(row, column)));
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0));
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const row = Math.max(0, Math.min(rows.length - 1, at[0] + step[0]));
    const column = Math.max(0, Math.min(columns.length - 1, at[1] + step[1]));
    setAt([row, column]);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus();
  };
  return (
    <div className="heat-scroller">
      <p id={hint} className="unseen">
        Arrows go from cell to cell, Enter opens the requests.
      </p>
      <table
        className="heat"
        ref={grid}
        aria-label={label}
        aria-describedby={hint}
        data-text={hasText}
        style={cellsOf(columns.length)}
      >
        <thead>
          <tr>
            <td />
            {columns.map((name, column) => (
              <th scope="col" key={column} title={name}>
                <span>{hasText || column % every(columns.length) === 0 ? name : ""}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((name, row) => (
            <tr key={row}>
              <th scope="row" title={name}>
                <span>{name}</span>
              </th>
              {columns.map((column, index) => {
                const value = values[row]![index]!;
                const ofCell = `${name}, ${column}`;
                const short = axisFormat(metric)(value);
                return (
                  <td key={index}>
                    <button
                      type="button"
                      className={cellClass(value, toneOf(value, thresholds))}
                      style={shareOf(value, most)}
                      tabIndex={row === Math.min(at[0], rows.length - 1) && index === at[1] ? 0 : -1}
                      data-cell={`${row} ${index}`}
                      // The name contains the text that is visible, so that it can be called by voice.
                      aria-label={`${ofCell}: ${hasText ? short : formatValue(metric, value)}`}
                      title={`${ofCell}: ${formatValue(metric, value)}`}
                      onKeyDown={move}
                      onFocus={() => setAt([row, index])}
                      onClick={() => onOpen(row, index)}
                    >
                      {hasText ? short : null}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** If there are many columns, only some get a label, so that labels do not overlap. */
const every = (count: number) => Math.max(1, Math.ceil(count / 3));

/** The number of cells in a row, for the style sheet. */
const cellsOf = (count: number) => ({ "--cells": count }) as CSSProperties;

/** Percentage of the highest value, for the style sheet. */
const shareOf = (value: number | null, most: number) =>
  ({ "--share": value === null || most === 0 ? 0 : Math.round((value / most) * 100) }) as CSSProperties;

function cellClass(value: number | null, tone: Tone | undefined): string {
  if (value === null || value === 0) return "heat-cell heat-none";
  return tone === undefined ? "heat-cell" : `heat-cell heat-${tone}`;
}
