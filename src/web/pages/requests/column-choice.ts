import { columnOf } from "./columns.tsx";

/** A column that is shown, at its place in the list of all that are. */
export interface ColumnChoice {
  /** Id of a `RequestColumn`. */
  readonly id: string;
  /** Pixels; missing means the column's own width, and its share of the room that is left. */
  readonly width?: number;
}

export type Choices = readonly ColumnChoice[];

const WIDTH_MIN_PX = 48;
const WIDTH_MAX_PX = 1_600;
const COLUMNS_MAX = 60;

/** Shown until others are chosen. */
export const DEFAULT_CHOICES: Choices = [
  ...["time", "status", "input", "output", "model", "latency", "cost", "tokens", "user"],
  ...["first_token", "provider", "properties", "session", "id"],
].map((id) => ({ id }));

/** The same where there is little room beside the time: what it cost comes before what was said. */
const NARROW_CHOICES: Choices = [
  { id: "time" },
  { id: "status", width: 78 },
  { id: "cost", width: 104 },
  ...DEFAULT_CHOICES.filter(({ id }) => !["time", "status", "cost"].includes(id)),
];

const defaultChoices = (): Choices =>
  globalThis.matchMedia?.("(max-width: 640px)").matches === true ? NARROW_CHOICES : DEFAULT_CHOICES;

/** Makes stored columns into choices: unknown and repeated ones are left out. The time is always there: it holds the row's link. */
export function readChoices(stored: unknown): Choices {
  if (!Array.isArray(stored)) return defaultChoices();
  const choices = new Map<string, ColumnChoice>();
  for (const each of stored.slice(0, COLUMNS_MAX)) {
    const { id, width } = (typeof each === "string" ? { id: each } : (each ?? {})) as { id?: unknown; width?: unknown };
    if (typeof id !== "string" || columnOf(id) === undefined) continue;
    choices.set(id, typeof width === "number" && Number.isFinite(width) ? { id, width: clamped(width) } : { id });
  }
  if (choices.size === 0) return defaultChoices();
  return choices.has("time") ? [...choices.values()] : [{ id: "time" }, ...choices.values()];
}

/** @param to - where the column stands afterwards, from 0. */
export function moved(choices: Choices, id: string, to: number): Choices {
  const choice = choices.find((each) => each.id === id);
  if (choice === undefined) return choices;
  const others = choices.filter((each) => each !== choice);
  const at = Math.min(others.length, Math.max(0, to));
  return [...others.slice(0, at), choice, ...others.slice(at)];
}

/** @param width - pixels; undefined for the column's own. */
export function resized(choices: Choices, id: string, width: number | undefined): Choices {
  return choices.map((each) => {
    if (each.id !== id) return each;
    return width === undefined ? { id } : { id, width: clamped(width) };
  });
}

/** Shows a column at the end, or no longer. */
export function toggled(choices: Choices, id: string): Choices {
  if (choices.some((each) => each.id === id)) return id === "time" ? choices : choices.filter((each) => each.id !== id);
  return columnOf(id) === undefined ? choices : [...choices, { id }];
}

const clamped = (width: number) => Math.round(Math.min(WIDTH_MAX_PX, Math.max(WIDTH_MIN_PX, width)));

const STORED = "weir.columns";

export function storedChoices(): Choices {
  try {
    return readChoices(JSON.parse(localStorage.getItem(STORED) ?? "null"));
  } catch {
    return defaultChoices(); // not written by this page
  }
}

export function storeChoices(choices: Choices): void {
  localStorage.setItem(STORED, JSON.stringify(choices));
}
