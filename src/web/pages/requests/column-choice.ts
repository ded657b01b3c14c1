import { columnOf } from "./columns.tsx";

/** A visible column, at its place in the list. */
interface ColumnChoice {
  /** Id of a `RequestColumn`. */
  readonly id: string;
  /** Pixels; missing means the column's default width, with its share of the remaining space. */
  readonly width?: number;
}

export type Choices = readonly ColumnChoice[];

const WIDTH_MIN_PX = 48;
const WIDTH_MAX_PX = 1_600;
const COLUMNS_MAX = 60;

/** The default. */
export const DEFAULT_CHOICES: Choices = [
  ...["time", "status", "input", "output", "model", "latency", "cost", "tokens", "user"],
  ...["first_token", "provider", "properties", "session", "id"],
].map((id) => ({ id }));

/** The default for narrow screens, with little space beside the time: cost precedes contents. */
const NARROW_CHOICES: Choices = [
  { id: "time" },
  { id: "status", width: 78 },
  { id: "cost", width: 104 },
  ...DEFAULT_CHOICES.filter(({ id }) => !["time", "status", "cost"].includes(id)),
];

const defaultChoices = (): Choices =>
  globalThis.matchMedia?.("(max-width: 640px)").matches === true ? NARROW_CHOICES : DEFAULT_CHOICES;

/** Converts stored columns into choices: unknown and repeated ones are left out. The time is always shown, because it holds the row's link. */
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

/** @param to - the column's new index, from 0. */
export function moved(choices: Choices, id: string, to: number): Choices {
  const choice = choices.find((each) => each.id === id);
  if (choice === undefined) return choices;
  const others = choices.filter((each) => each !== choice);
  const at = Math.min(others.length, Math.max(0, to));
  return [...others.slice(0, at), choice, ...others.slice(at)];
}

/** @param width - pixels; undefined for the default. */
export function resized(choices: Choices, id: string, width: number | undefined): Choices {
  return choices.map((each) => {
    if (each.id !== id) return each;
    return width === undefined ? { id } : { id, width: clamped(width) };
  });
}

/** Shows a column at the end, or hides it. */
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
