import { OPERATORS, OPPOSITES } from "../../../filter/operators.ts";
import { statementOf } from "../../../filter/parameters.ts";
import { propertyName } from "../../../filter/property-names.ts";
import { raw, sql } from "../../../filter/sql.ts";
import { type Condition, type FilterTree, isJunction } from "../../../filter/tree.ts";
import { bind } from "../../../store/database/bind.ts";
import type { Database } from "../../../store/store.ts";
import { NUMBER_COLUMNS, type NumberColumn, TEXT_COLUMNS, type TextColumn } from "./columns.ts";
import type { Texts } from "./packing.ts";
import type { BlockView } from "./view.ts";

/** 1 or 0 per row, or one value for all rows. */
export type Mask = Uint8Array | boolean;
export type BlockTest = (view: BlockView) => Promise<Mask>;

/** Filters with more conditions read the records. */
const CONDITIONS_MAX = 200;

const byName = <Name extends string>(table: Readonly<Record<Name, string>>) =>
  new Map(Object.entries(table).map(([name, sql]) => [sql as string, name as Name]));
const NUMBERS = byName<NumberColumn>(NUMBER_COLUMNS).set("+r.cost", "cost");
const TEXTS = byName<TextColumn>(TEXT_COLUMNS);

/** The filter as a test of blocks; undefined when it needs something that blocks do not contain. */
export function blockTest(tree: FilterTree, database: Database): BlockTest | undefined {
  let left = CONDITIONS_MAX;
  const testOf = (node: FilterTree): BlockTest | undefined => {
    if (left-- <= 0) return undefined;
    if (node.kind === "all") return async () => true;
    if (node.kind === "nothing") return async () => false;
    if (!isJunction(node)) return conditionTest(node, database);
    const tests: BlockTest[] = [];
    for (const term of node.terms) {
      const test = testOf(term);
      if (test === undefined) return undefined;
      tests.push(test);
    }
    return node.kind === "and" ? every(tests) : some(tests);
  };
  return testOf(tree);
}

function conditionTest(condition: Condition, database: Database): BlockTest | undefined {
  const { source, name = "" } = condition;
  if (source.from === "row") {
    const number = NUMBERS.get(source.sql);
    if (number !== undefined) return numberTest(condition, number);
    const text = TEXTS.get(source.sql);
    return text && (async (view) => textMask(await view.texts(text), condition, database));
  }
  if (source.from === "property_key" && condition.value !== null) {
    return propertyTest({ ...condition, operator: "not-equals", value: null }, String(condition.value), database);
  }
  if (source.from === "properties" && source.kind === 0 && source.names === "exact") {
    return propertyTest(condition, name, database);
  }
  return undefined;
}

function numberTest(condition: Condition, name: NumberColumn): BlockTest {
  const { operator, value } = condition;
  // As it would be bound: infinities become the largest finite numbers.
  const bound = value === null ? null : Number(bind(value));
  const fits = NUMBER_TESTS[operator]!(bound);
  return async (view) => {
    const { first_created, last_created } = view.part;
    // If the first and the last creation time give the same result for a bound, so do all between them.
    const isBound = name === "request_created_at" && BOUNDS.has(operator);
    if (isBound && fits(first_created) === fits(last_created)) return fits(first_created);
    const numbers = await view.numbers(name);
    const mask = new Uint8Array(numbers.length);
    for (let row = 0; row < mask.length; row++) mask[row] = fits(numbers[row]!) ? 1 : 0;
    return mask;
  };
}

const BOUNDS: ReadonlySet<string> = new Set(["gte", "lte", "gt", "lt"]);

/** NaN stands for null in columns: every comparison except "not" is false for it. */
const NUMBER_TESTS: Readonly<Record<string, (value: number | null) => (number: number) => boolean>> = {
  equals: (value) => (value === null ? Number.isNaN : (number) => number === value),
  "not-equals": (value) => (value === null ? (number) => !Number.isNaN(number) : (number) => number !== value),
  gte: (value) => (number) => number >= value!,
  lte: (value) => (number) => number <= value!,
  gt: (value) => (number) => number > value!,
  lt: (value) => (number) => number < value!,
};

async function textMask(texts: Texts, condition: Condition, database: Database): Promise<Uint8Array> {
  const { value, operator } = condition;
  const fits =
    value === null
      ? fitting(texts, () => operator === "not-equals", operator === "equals")
      : await valueTest(texts, condition, database);
  return masked(texts.codes, fits);
}

/** Whether each code's value matches. SQL evaluates the operators, so that each has a single meaning. */
async function valueTest(texts: Texts, { operator, value }: Condition, database: Database): Promise<Uint8Array> {
  if (operator === "equals") return fitting(texts, (text) => text === value, false);
  if (operator === "not-equals") return fitting(texts, (text) => text !== value, true);
  const all = JSON.stringify([null, ...texts.values]);
  const test = OPERATORS.text[operator]!(raw("v.value"), value);
  const statement = statementOf(sql`select v.key as code from json_each(${all}) v where ${test}`);
  const fits = new Uint8Array(texts.values.length + 1);
  for (const { code } of await database.query<{ code: number }>(statement)) fits[code] = 1;
  return fits;
}

function fitting({ values }: Texts, test: (text: string) => boolean, none: boolean): Uint8Array {
  const fits = new Uint8Array(values.length + 1);
  fits[0] = none ? 1 : 0;
  for (let place = 0; place < values.length; place++) fits[place + 1] = test(values[place]!) ? 1 : 0;
  return fits;
}

function masked(codes: Uint32Array, fits: Uint8Array): Uint8Array {
  const mask = new Uint8Array(codes.length);
  for (let row = 0; row < mask.length; row++) mask[row] = fits[codes[row]!]!;
  return mask;
}

/** A property may exist under both spellings: one must match or, for negative operators, neither may match the opposite. */
function propertyTest(condition: Condition, name: string, database: Database): BlockTest {
  const { operator, value } = condition;
  const opposite = value === null ? { equals: "not-equals" }[operator] : OPPOSITES[operator];
  const positive: Condition = { ...condition, operator: opposite ?? operator };
  const { exact, erased } = propertyName(name);
  return async (view) => {
    let mask: Mask = await textMask(await view.property(exact), positive, database);
    const marks = erased === undefined ? undefined : await view.erased(erased);
    if (marks !== undefined) {
      const other = await textMask(await view.property(erased!), positive, database);
      for (let row = 0; row < other.length; row++) if (marks[row] !== 1) other[row] = 0;
      mask = joined(mask, other, "or");
    }
    return opposite === undefined ? mask : inverted(mask);
  };
}

const every = (tests: readonly BlockTest[]): BlockTest => combined(tests, "and");
const some = (tests: readonly BlockTest[]): BlockTest => combined(tests, "or");

function combined(tests: readonly BlockTest[], kind: "and" | "or"): BlockTest {
  return async (view) => {
    let mask: Mask = kind === "and";
    for (const test of tests) {
      if (mask === (kind === "or")) return mask;
      mask = joined(mask, await test(view), kind);
    }
    return mask;
  };
}

function joined(left: Mask, right: Mask, kind: "and" | "or"): Mask {
  const decides = kind === "or";
  if (typeof left === "boolean") return left === decides ? left : right;
  if (typeof right === "boolean") return right === decides ? right : left;
  const mask = new Uint8Array(left.length);
  if (decides) for (let row = 0; row < mask.length; row++) mask[row] = left[row]! | right[row]!;
  else for (let row = 0; row < mask.length; row++) mask[row] = left[row]! & right[row]!;
  return mask;
}

function inverted(mask: Mask): Mask {
  return typeof mask === "boolean" ? !mask : mask.map((one) => 1 - one);
}
