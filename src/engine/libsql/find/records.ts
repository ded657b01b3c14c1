import { getTableColumns } from "drizzle-orm";
import { type Reach, SAID_MEMBERS, type Sight } from "../../../filter/sight.ts";
import { messageOf } from "../../../observe.ts";
import { WITH_KIND, withKinds } from "../../../record/kinds.ts";
import { type RequestRow, STORED_MEMBERS, storedMembers } from "../../../record/request-record.ts";
import { requests } from "../../../record/tables.ts";
import { loadExcerpts } from "../../../store/bodies/load-bodies.ts";
import { toObjects } from "../../../store/database/statement-cache.ts";
import type { Excerpts } from "../../../store/packs/request-content.ts";
import type { Database, Statement } from "../../../store/store.ts";

/** Records by a key of theirs; ids in lower case. */
export interface Asked extends Reach {
  readonly by: "seq" | "request_id";
  readonly keys: readonly (number | string)[];
}

/** A record that is to be printed. */
export interface ListedRecord<Column extends keyof RequestRow> {
  /** Those of its `STORED_MEMBERS` that the caller sees, an object as JSON text. */
  readonly stored: string;
  readonly row: Pick<RequestRow, Column>;
}

/** Records of one organization in the order asked; ids that it does not have are left out. Ids in lower case. */
export async function recordsByIds(
  database: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<RequestRow[]> {
  return wholeRows(database, { organizationId, sight: "bodies", by: "request_id", keys: requestIds });
}

/** Rows with the excerpts that they leave to the packs. */
async function wholeRows(database: Database, asked: Asked): Promise<RequestRow[]> {
  const rows = await database.query<RequestRow>(selectAsked(`r.*, ${COMMENTS} as comments`, asked, "whole_requests r"));
  const packed = rows.filter(({ excerpts_packed }) => excerpts_packed !== null).map(({ request_id }) => request_id);
  const excerpts = await loadExcerpts(database, packed);
  return rows.map((row) => ({ ...row, ...(row.excerpts_packed !== null && excerpts.get(row.request_id)) }));
}

/**
 * The same for printing them. The driver takes longer to hand over a cell than the database to print it, so that the
 * seventy cells of a record come as five.
 *
 * @param columns - what is needed besides the stored members.
 */
export async function listedRecords<Column extends keyof RequestRow>(
  database: Database,
  asked: Asked,
  columns: readonly Column[],
): Promise<ListedRecord<Column>[]> {
  // SQLite prints floating-point numbers with 15 digits: such columns stay cells.
  const exact = columns.filter((column) => COLUMNS[column].getSQLType() === "real");
  const others = columns.filter((column) => !exact.includes(column));
  const cells = [
    `${STORED[asked.sight]} as stored`,
    `json_array(${ofRow(others).join(", ")}) as others`,
    PACKED[asked.sight],
    ...ofRow(exact),
  ];
  try {
    const printed = await database.query<PrintedRow<Column>>(
      selectAsked(withKinds(cells.join(", ")), asked, `requests r`),
    );
    const excerpts = await loadExcerpts(
      database,
      printed.flatMap(({ packed }) => packed ?? []),
    );
    const values = printed.map((cells) => [...JSON.parse(cells.others), ...exact.map((column) => cells[column])]);
    const rows = toObjects<Pick<RequestRow, Column>>([...others, ...exact], values);
    return printed.map(({ stored, packed }, index) => ({
      stored: packed === null ? stored : withExcerpts(stored, excerpts.get(packed)),
      row: rows[index]!,
    }));
  } catch (cause) {
    // A damaged cell that JSON cannot hold must not hide the records beside it.
    if (!/\bJSON\b/.test(messageOf(cause))) throw cause;
    const rows = await wholeRows(database, asked);
    return rows.map((row) => ({ stored: JSON.stringify(shownMembers(storedMembers(row), asked.sight)), row }));
  }
}

type PrintedRow<Column extends keyof RequestRow> = Pick<RequestRow, Column> & {
  readonly stored: string;
  readonly others: string;
  /** The record's id where its excerpts stand in the packs. */
  readonly packed: string | null;
};

const PACKED: Readonly<Record<Sight, string>> = {
  bodies: "iif(r.excerpts_packed is null, null, r.request_id) as packed",
  figures: "null as packed",
};
/** As the database prints them where the row leaves them to the packs; within a text every quote has a backslash. */
const NO_EXCERPTS = '"input":null,"output":null';

function withExcerpts(stored: string, { input = null, output = null }: Partial<Excerpts> = {}): string {
  return stored.replace(NO_EXCERPTS, () => `"input":${JSON.stringify(input)},"output":${JSON.stringify(output)}`);
}

const COLUMNS = getTableColumns(requests);

/** Members of a record without those that somebody of this sight does not see. */
export function shownMembers<T extends object>(members: T, sight: Sight): Partial<T> {
  if (sight === "bodies") return members;
  const said: readonly string[] = SAID_MEMBERS;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !said.includes(name))) as Partial<T>;
}

/** How many comments there are on a request `r`. */
export const COMMENTS = "(select count(*) from comments c where c.request_id = r.request_id)";

const storedObject = (sight: Sight) =>
  `json_object(${Object.entries(shownMembers(STORED_MEMBERS, sight))
    .map(([name, column]) => `'${name}', r.${column}`)
    .join(", ")}, 'comments', ${COMMENTS})`;

const STORED: Readonly<Record<Sight, string>> = { bodies: storedObject("bodies"), figures: storedObject("figures") };
const ofRow = (columns: readonly string[]) => columns.map((column) => `r.${column}`);

/** @param rows - `whole_requests r`, or `requests r` where what follows in the statement joins the kinds. */
function selectAsked(columns: string, { organizationId, by, keys }: Asked, rows: string): Statement {
  const kinds = rows.startsWith("requests") ? WITH_KIND : "";
  const sql = `select ${columns} from json_each(?) asked cross join ${rows} on r.${by} = asked.value ${kinds}
    where r.organization_id = ? order by asked.key`;
  return { sql, args: [JSON.stringify(keys), organizationId] };
}
