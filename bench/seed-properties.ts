/** A property of some of the records, as SQL over what is derived from a record's number. */
export interface Named {
  readonly name: string;
  readonly value: string;
  /** Whether a record has it. */
  readonly has: string;
  /** The numbers of the records that may have it, as `n.value`, in the order of their values. */
  readonly source: string;
}

export const NUMBERS = "generate_series(?1, ?2) n";

/**
 * Values that are remainders of the number: `values` of `of` numbers have one. Remainders by numbers that have no common
 * divisor are independent of each other, and who takes every `of`th number meets the values sorted.
 */
function remainder(name: string, label: string, values: number, of: number): Named {
  const texts = Array.from({ length: values }, (_, remains) => ({ remains, text: `${label}-${remains}` }));
  const sorted = texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ remains }) => remains);
  return {
    name,
    value: `'${label}-' || (v % ${of})`,
    has: `v % ${of} < ${values}`,
    source: `json_each('[${sorted}]') r cross join generate_series(?1 + (r.value - ?1 % ${of} + ${of}) % ${of}, ?2, ${of}) n`,
  };
}

const ENVIRONMENT = (a: string) =>
  `case when ${a} < 700 then 'production' when ${a} < 900 then 'staging' else 'development' end`;

/** In the order of their names. */
export const PROPERTIES: readonly Named[] = [
  remainder("Customer", "customer", 20_000, 39_999),
  {
    name: "Environment",
    value: ENVIRONMENT("a"),
    has: "1",
    source: `(values ('development'), ('production'), ('staging')) e cross join ${NUMBERS}
      on e.column1 = ${ENVIRONMENT("n.value * 2654435761 % 4294967296 % 1000")}`,
  },
  remainder("Feature", "feature", 50, 77),
  remainder("Team", "team", 20, 20),
];
export const INPUTS: readonly Named[] = [remainder("city", "city", 30, 151)];

/** SQL of a JSON object of those that a record has. Names and values need no escapes. */
export function objectOf(named: readonly Named[]): string {
  const members = named.map(
    ({ name, value, has }) => `case when ${has} then ',"${name}":"' || ${value} || '"' else '' end`,
  );
  return `'{' || substr(${members.join(" || ")}, 2) || '}'`;
}
