import type { Excerpts } from "../../record/excerpt.ts";
import { storable } from "../../record/storable.ts";
import type { Database } from "../database/database.ts";
import { Gathering, sliced } from "./gather.ts";
import { type BodyPart, decodePlaced, type Placed, type PlacedPart, type PlacedText, type Range } from "./placed.ts";
import type { Content } from "./request-content.ts";
import { idList, idOf, ROWS_OF } from "./row-id.ts";

/** Prefix of the reference that replaces a file in a shown body; the asset's id follows. */
export const ASSET_REFERENCE = "weir-asset:";

/** `shown` is UTF-8 with references in place of files; `sent` is every byte as sent, after content decoding. */
export type ContentView = "shown" | "sent";

/** One stored body, decoded. */
export interface StoredBody {
  readonly form: PlacedPart["form"];
  /** Length of the body after content decoding. */
  readonly bytes: number;
  /** The content's hash and type, if requests share the content. */
  readonly hash: string | null;
  readonly contentType: string | null;
  readonly content: Uint8Array;
}

/** The bodies of one request, by part; parts that were not recorded or are lost are missing. */
export type RequestBodies = Readonly<Partial<Record<BodyPart, StoredBody>>>;

export interface RequestTexts {
  readonly prompt: string | null;
  readonly completion: string | null;
}

/** Where the contents of these requests are. Requests that are not in packs are missing, as are damaged rows. */
export async function loadPlaced(database: Database, requestIds: readonly string[]): Promise<Map<string, Placed>> {
  const rows = await database.query<{ request_id: Uint8Array; home: number; parts: Uint8Array }>({
    sql: `select request_id, home, parts from contents where ${ROWS_OF}`,
    args: [idList(requestIds)],
  });
  return new Map(rows.map(({ request_id, home, parts }) => [idOf(request_id), decoded(parts, home) ?? NOTHING]));
}

const NO_TEXTS = { prompt: null, completion: null, input: null, output: null };
const NOTHING: Placed = { fresh: 0, parts: [], assets: [], ...NO_TEXTS };

/** Undefined when the row is damaged. */
export function decoded(parts: Uint8Array, home: number): Placed | undefined {
  try {
    return decodePlaced(parts, home);
  } catch {
    return undefined;
  }
}

/** Reads bodies of many requests from packs. */
export async function readParts(
  database: Database,
  placed: ReadonlyMap<string, Placed>,
  parts: readonly BodyPart[],
  view: ContentView,
): Promise<Map<string, RequestBodies>> {
  const gathering = new Gathering();
  const found = [...placed].map(([id, row]) => {
    const bodies: Partial<Record<BodyPart, StoredBody & { readonly content: Buffer }>> = {};
    for (const part of row.parts) {
      // When both are stored, what was sent comes after what is shown.
      if (!parts.includes(part.part) || (part.sent && view === "shown")) continue;
      const content = view === "sent" ? gathering.add(part.ranges) : addShown(gathering, part, row);
      const bytes = lengthOf(part.ranges);
      bodies[part.part] = { form: part.form, bytes, hash: null, contentType: part.contentType, content };
    }
    return { id, bodies };
  });
  await gathering.run(database);
  return new Map(
    found.map(({ id, bodies }) => [
      id,
      Object.fromEntries(Object.entries(bodies).filter(([, { content }]) => !gathering.lost.has(content))),
    ]),
  );
}

/** A body with references in place of its files; packs that hold only the files are not read. */
function addShown(gathering: Gathering, { ranges, files }: PlacedPart, { assets }: Placed): Buffer {
  if (files.length === 0) return gathering.add(ranges);
  const references = files.map(({ asset }) => Buffer.from(ASSET_REFERENCE + (assets[asset]?.id ?? "")));
  const removed = files.reduce((sum, { length }, index) => sum + length - references[index]!.length, 0);
  const target = Buffer.alloc(lengthOf(ranges) - removed);
  let [at, from] = [0, 0];
  for (const [index, { offset, length }] of files.entries()) {
    at = gathering.addTo(target, at, sliced(ranges, from, offset));
    at += references[index]!.copy(target, at);
    from = offset + length;
  }
  gathering.addTo(target, at, sliced(ranges, from, lengthOf(ranges)));
  return target;
}

/** Reads prompts and completions of many requests from packs. */
export function readTexts(database: Database, placed: ReadonlyMap<string, Placed>): Promise<Map<string, RequestTexts>> {
  return readPair(database, placed, ["prompt", "completion"]);
}

/** Reads inputs and outputs of many requests from packs, not masked; both are null when the record's row holds them. */
export function readExcerpts(database: Database, placed: ReadonlyMap<string, Placed>): Promise<Map<string, Excerpts>> {
  return readPair(database, placed, ["input", "output"]);
}

type TextName = "prompt" | "completion" | "input" | "output";

async function readPair<First extends TextName, Second extends TextName>(
  database: Database,
  placed: ReadonlyMap<string, Placed>,
  [first, second]: readonly [First, Second],
): Promise<Map<string, Record<First | Second, string | null>>> {
  const gathering = new Gathering();
  const added = [...placed].map(([id, row]) => ({
    id,
    texts: [addText(gathering, row[first], row), addText(gathering, row[second], row)] as const,
  }));
  await gathering.run(database);
  const read = (text: AddedText | null) => (text === null || gathering.lost.has(text.bytes) ? null : said(text.read()));
  return new Map(
    added.map(({ id, texts }) => [
      id,
      { [first]: read(texts[0]), [second]: read(texts[1]) } as Record<First | Second, string | null>,
    ]),
  );
}

/** Cleans a text as for a column. */
const said = (text: string | null) => text && storable(text);

interface AddedText {
  readonly bytes: Buffer;
  readonly read: () => string | null;
}

function addText(gathering: Gathering, text: PlacedText | null, { parts }: Placed): AddedText | null {
  if (text === null) return null;
  if ("ranges" in text) {
    const bytes = gathering.add(text.ranges);
    return { bytes, read: () => bytes.toString("utf8") };
  }
  const { within, offset, length } = text;
  const bytes = gathering.add(sliced(parts[within]?.ranges ?? [], offset, offset + length));
  return { bytes, read: () => unquoted(bytes.toString("utf8")) };
}

/** Decodes the inside of a JSON string. */
function unquoted(written: string): string | null {
  try {
    return JSON.parse(`"${written}"`);
  } catch {
    return null; // damaged: everything that was written is valid JSON
  }
}

/** Everything stored for requests, as it was put. Lost contents are missing. */
export async function readWhole(
  database: Database,
  placed: ReadonlyMap<string, Placed>,
): Promise<Map<string, Content>> {
  const gathering = new Gathering();
  const found = [...placed].map(([id, row]) => ({
    id,
    parts: row.parts.map((part) => ({ ...part, bytes: gathering.add(part.ranges) })),
    assets: row.assets.map((asset, index) => ({
      ...asset,
      isWithin: asset.ranges.length === 0,
      bytes: gathering.add(asset.ranges.length > 0 ? asset.ranges : writtenIn(row, index)),
    })),
  }));
  await gathering.run(database);
  const texts = await readTexts(database, placed);
  const excerpts = await readExcerpts(database, placed);
  return new Map(
    found.map(({ id, parts, assets }) => {
      const there = parts.filter(({ bytes }) => !gathering.lost.has(bytes));
      const sent = new Map(there.filter((each) => each.sent).map(({ part, bytes }) => [part, bytes]));
      return [
        id,
        {
          parts: there
            .filter((each) => !each.sent)
            .map(({ part, form, contentType, bytes, files }) => ({
              part,
              form,
              contentType,
              bytes,
              files: files.map(({ asset, ...place }) => ({ ...place, id: assets[asset]?.id ?? "" })),
              ...(sent.has(part) && { sent: sent.get(part)! }),
            })),
          assets: assets
            .filter(({ bytes }) => !gathering.lost.has(bytes))
            .map(({ id: asset, contentType, bytes, isWithin }) => ({
              id: asset,
              contentType,
              bytes: isWithin ? fromBase64(bytes.toString("latin1")) : bytes,
            })),
          texts: texts.get(id)!,
          excerpts: excerpts.get(id)!,
        },
      ] as const;
    }),
  );
}

/** A file of a request; undefined when the request has no such file. */
export async function readAsset(database: Database, placed: Placed, assetId: string) {
  const index = placed.assets.findIndex(({ id }) => id === assetId);
  const asset = placed.assets[index];
  if (asset === undefined) return undefined;
  const gathering = new Gathering();
  const bytes = gathering.add(asset.ranges.length > 0 ? asset.ranges : writtenIn(placed, index));
  await gathering.run(database);
  if (gathering.lost.has(bytes)) return undefined;
  const content = asset.ranges.length > 0 ? bytes : fromBase64(bytes.toString("latin1"));
  return { contentType: asset.contentType, content };
}

function writtenIn({ parts }: Placed, asset: number): Range[] {
  for (const { ranges, files } of parts) {
    const file = files.find((each) => each.asset === asset);
    if (file !== undefined) return sliced(ranges, file.offset, file.offset + file.length);
  }
  return [];
}

/** Decodes base64, or a base64 `data:` URL, from the inside of a JSON string, where slashes may be escaped. */
function fromBase64(written: string): Buffer {
  const text = written.replaceAll("\\/", "/");
  return Buffer.from(/^data:/i.test(text) ? text.slice(text.indexOf(",") + 1) : text, "base64");
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { length }) => sum + length, 0);
}
