import { type Excerpts, shownExcerpts } from "../../record/excerpt.ts";
import type { Database } from "../database/database.ts";
import type { BodyPart } from "../packs/placed.ts";
import {
  type ContentView,
  loadPlaced,
  type RequestBodies,
  type RequestTexts,
  readExcerpts,
  readParts,
  readTexts,
} from "../packs/read.ts";
import { loadPlain, loadPlainTexts } from "./plain-bodies.ts";

/** Bodies of many requests, wherever they are stored. Parts that were not recorded, were removed or are damaged are missing. */
export async function loadBodies(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
  view: ContentView = "shown",
): Promise<Map<string, RequestBodies>> {
  const placed = await loadPlaced(database, requestIds);
  const found = await readParts(database, placed, parts, view);
  const others = requestIds.filter((id) => !placed.has(id));
  if (others.length === 0) return found;
  for (const [id, bodies] of await loadPlain(database, others, parts)) found.set(id, bodies);
  return found;
}

/** Prompts and completions of many requests, wherever they are stored. */
export async function loadTexts(database: Database, requestIds: readonly string[]): Promise<Map<string, RequestTexts>> {
  const placed = await loadPlaced(database, requestIds);
  const found = await readTexts(database, placed);
  const others = requestIds.filter((id) => !placed.has(id));
  if (others.length === 0) return found;
  for (const [id, texts] of await loadPlainTexts(database, others)) found.set(id, texts);
  return found;
}

/** Inputs and outputs that are in packs instead of the records' rows, as they are shown; others are missing. */
export async function loadExcerpts(
  database: Database,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, Excerpts>> {
  if (requestIds.length === 0) return new Map();
  const found = await readExcerpts(database, await loadPlaced(database, requestIds));
  return new Map([...found].map(([id, excerpts]) => [id, shownExcerpts(excerpts)]));
}
