import { KIND_COLUMNS } from "../../../record/kinds.ts";
import type { Database } from "../../../store/store.ts";
import { NUMBER_COLUMNS, type NumberColumn, TEXT_COLUMNS, type TextColumn } from "./columns.ts";

type KindText = Extract<TextColumn, (typeof KIND_COLUMNS)[number]>;
type RowText = Exclude<TextColumn, KindText>;

const ALL_TEXTS = Object.keys(TEXT_COLUMNS) as TextColumn[];
const isOfKind = (name: TextColumn): name is KindText => KIND_COLUMNS.some((column) => column === name);
/** Texts that a record may leave to its kind, and those that it always has itself. */
export const KIND_TEXTS = ALL_TEXTS.filter(isOfKind);
export const ROW_TEXTS = ALL_TEXTS.filter((name): name is RowText => !isOfKind(name));

/** The columns of a record that a block is built from, without those of a kind. */
export type BlockRow = Readonly<Record<RowText, string | null> & Record<NumberColumn, number | null>> & {
  readonly seq: number;
  readonly organization_id: string;
  /** JSON object of name to value. */
  readonly properties: string;
  readonly kind: number | null;
};

export type KindTexts = Readonly<Record<KindText, string | null>>;

interface ErasedName {
  readonly seq: number;
  readonly name: string;
}

/** Records in the order of `seq`, and what belongs to them. */
export interface BlockRows {
  readonly records: readonly BlockRow[];
  /** By the id of a kind. */
  readonly kinds: ReadonlyMap<number, KindTexts>;
  /** By `seq`, of records without a kind. */
  readonly own: ReadonlyMap<number, KindTexts>;
  /** Names of properties that lost their case. */
  readonly erased: readonly ErasedName[];
}

const ROW_COLUMNS = [
  ...ROW_TEXTS.map((name) => `${TEXT_COLUMNS[name]} as ${name}`),
  ...Object.entries(NUMBER_COLUMNS).map(([name, column]) => `${column} as ${name}`),
].join(", ");

/** At most ?3 rows from ?1 to ?2. */
const RECORDS = `select r.seq, r.organization_id, r.properties, r.kind, ${ROW_COLUMNS}
  from requests r where r.seq >= ?1 and r.seq <= ?2 order by r.seq limit ?3`;
const KINDS = `select k.id, ${KIND_TEXTS.map((name) => `k.${name}`).join(", ")}
  from json_each(?) w cross join kinds k on k.id = w.value`;
const OWN = `select r.seq as id, ${KIND_TEXTS.map((name) => `r.${name}`).join(", ")}
  from json_each(?) w cross join requests r on r.seq = w.value`;
const ERASED = `select p.seq, p.name from json_each(?) w
  cross join properties p on p.seq = w.value where p.kind = 0 and p.case_erased`;

/** Matches a name without ASCII capitals in a JSON object of strings; a value may match too. */
const UNCAPITALISED = /"[^"A-Z]*":"/;

/**
 * Reads the next records of a block. Those of a kind have its texts in common, which are therefore read once: every value of
 * every record costs. A record that changes between the queries is noted as changed.
 *
 * @param most - records.
 */
export async function readBlockRows(database: Database, first: number, last: number, most: number): Promise<BlockRows> {
  const records = await database.query<BlockRow>({ sql: RECORDS, args: [first, last, most] });
  const kinds = new Set<number>();
  const unshared: number[] = [];
  const mayBeErased: number[] = [];
  for (const { seq, kind, properties } of records) {
    if (kind === null) unshared.push(seq);
    else kinds.add(kind);
    if (properties !== "{}" && UNCAPITALISED.test(properties)) mayBeErased.push(seq);
  }
  return {
    records,
    kinds: await readTexts(database, KINDS, [...kinds]),
    own: await readTexts(database, OWN, unshared),
    erased: await readFor<ErasedName>(database, ERASED, mayBeErased),
  };
}

async function readTexts(database: Database, sql: string, ids: readonly number[]) {
  const rows = await readFor<KindTexts & { readonly id: number }>(database, sql, ids);
  return new Map<number, KindTexts>(rows.map((row) => [row.id, row]));
}

async function readFor<T>(database: Database, sql: string, ids: readonly number[]): Promise<T[]> {
  return ids.length === 0 ? [] : await database.query<T>({ sql, args: [JSON.stringify(ids)] });
}
