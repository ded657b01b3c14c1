import fc from "fast-check";
import { type FieldKind, GROUPS, isField } from "../../src/filter/fields.ts";
import { EXCHANGES, NAMES, NUMBERS, START, TEXTS } from "./samples.ts";

/** Pieces of the samples, so that patterns and bounds meet the values they are made for. */
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(
    "OPENAI",
    "openai",
    "alpha",
    "s-1",
    "s-_",
    "asset-1",
    "%",
    "_",
    "%%",
    "4O",
    "Σ",
    "asset%",
    "{}",
    "nightly",
  ),
  fc.constantFrom(...TEXTS).chain((whole) => {
    const letters = [...whole];
    return fc
      .tuple(fc.nat({ max: letters.length }), fc.nat({ max: letters.length }))
      .map(([from, to]) => letters.slice(Math.min(from, to), Math.max(from, to)).join(""));
  }),
  fc.constantFrom(...TEXTS).map((whole) => `%${whole.slice(1, -1)}%`),
  fc.constantFrom(...TEXTS).map((whole) => whole.replace(/./u, "_").toUpperCase()),
  fc.constantFrom(...EXCHANGES.slice(0, 10).map(({ columns }) => columns.request_id)),
);

const number = fc.oneof(
  fc.constantFrom(...NUMBERS, 2, 10, 128_000, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.double({ noNaN: true }),
  fc.integer(),
);

const time = fc
  .tuple(
    fc.constantFrom(0, 1, -1, 998, 999, 60_000, 86_400_000, 5_400_000),
    fc.nat({ max: 5 }),
    fc.constantFrom(0, 120, -330),
  )
  .map(([step, times, offset]) => {
    const local = new Date(START + step * times + offset * 60_000).toISOString();
    const sign = offset < 0 ? "-" : "+";
    const two = (value: number) => String(value).padStart(2, "0");
    const minutes = Math.abs(offset);
    return offset === 0 ? local : local.replace("Z", `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`);
  });

const orNull = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });

const bounds = (value: fc.Arbitrary<string | number>) =>
  (["gte", "lte", "gt", "lt"] as const).map((operator) => value.map((bound) => ({ [operator]: bound })));

const TESTS: Readonly<Record<FieldKind, fc.Arbitrary<object>>> = {
  text: fc.oneof(
    orNull(text).map((value) => ({ equals: value })),
    orNull(text).map((value) => ({ "not-equals": value })),
    ...["like", "ilike", "contains", "not-contains"].map((operator) => text.map((value) => ({ [operator]: value }))),
  ),
  number: fc.oneof(
    orNull(number).map((value) => ({ equals: value })),
    orNull(number).map((value) => ({ "not-equals": value })),
    ...bounds(number),
  ),
  timestamp: fc.oneof(
    orNull(time).map((value) => ({ equals: value })),
    fc.constant({ "not-equals": null }),
    ...bounds(time),
  ),
  boolean: fc.oneof(
    orNull(fc.boolean()).map((value) => ({ equals: value })),
    fc.constant({ "not-equals": null }),
  ),
  contains: text.map((value) => ({ contains: value })),
  key: orNull(fc.constantFrom(...NAMES, "Quality", "nothing")).map((value) => ({ equals: value })),
};

const name = fc.constantFrom(...NAMES, "ENVIRONMENT", "quality", "Größe.x", 'Q"UOTE', "none");

/** Every group and field, with one or two operators. */
export const anyLeaf: fc.Arbitrary<object> = fc.oneof(
  ...Object.entries(GROUPS).flatMap(([group, content]) => {
    const fields = isField(content) ? [[undefined, content] as const] : Object.entries(content);
    return fields.map(([field, { kind, named }]) => {
      const tests = fc
        .tuple(TESTS[kind], fc.oneof(fc.constant({}), TESTS[kind]))
        .map(([one, two]) => ({ ...two, ...one }));
      // A null prototype, because "__proto__" is one of the names and must become a member.
      const inner = named ? fc.tuple(name, tests).map(([key, test]) => Object.fromEntries([[key, test]])) : tests;
      return inner.map((value) => ({ [group]: field === undefined ? value : { [field]: value } }));
    });
  }),
);

export const anyFilter: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof({ weight: 20, arbitrary: anyLeaf }, { weight: 1, arbitrary: fc.constant("all") }),
    fc.record({ left: tie("node"), operator: fc.constantFrom("and", "or"), right: tie("node") }),
  ),
})).node;
