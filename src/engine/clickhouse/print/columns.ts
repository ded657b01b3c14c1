import { literal } from "../literal.ts";

/** Data for columns that are not in the table: users write both, and there are few. */
export interface Columns {
  /** Tags by session id. */
  readonly tags: ReadonlyMap<string, string>;
  /** Number of comments by request id. */
  readonly comments: ReadonlyMap<string, number>;
}

/** Matches columns of row `r` in fields and sort keys. */
const COLUMN = /^\+?(r\.[a-z_0-9]+)$/;

/** SQL for fields and sort keys that are not columns of the table. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  "+r.scores": "toJSONString(r.scores)",
  "coalesce(r.input, excerpts.input)": "r.input",
  "coalesce(r.output, excerpts.output)": "r.output",
  "texts.prompt": "r.prompt_text",
  "texts.completion": "r.completion_text",
  "(r.scores <> '{}' or r.feedback_id is not null)": "(notEmpty(r.scores) or isNotNull(r.feedback_id))",
  "(r.experiment_id is not null)": "isNotNull(r.experiment_id)",
  "(r.unread is not null)": "isNotNull(r.unread)",
};

export const COMMENTS_FIELD = "(select count(*) from comments c where c.request_id = r.request_id)";
export const TAG_FIELD = "tags.tag";
/** Matches totals of a session, which are joined as `session`. */
export const SESSION_FIELD = /^session\.[a-z_]+$/;

/** SQL of a field or a sort key. */
export function columnSql(named: string, { columns }: { readonly columns: Columns }): string {
  if (Object.hasOwn(EXPRESSIONS, named)) return EXPRESSIONS[named]!;
  if (named === TAG_FIELD) return looked("r.session_id", columns.tags, "cast(null as Nullable(String))");
  if (named === COMMENTS_FIELD) return looked("r.request_id", columns.comments, "0");
  const column = COLUMN.exec(named)?.[1];
  if (column !== undefined) return column;
  if (SESSION_FIELD.test(named)) return named;
  throw new TypeError(`"${named}" has no column in ClickHouse`);
}

function looked(key: string, values: ReadonlyMap<string, string | number>, otherwise: string): string {
  if (values.size === 0) return otherwise;
  return `transform(${key}, ${literal([...values.keys()])}, ${literal([...values.values()])}, ${otherwise})`;
}
