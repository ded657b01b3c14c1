import { getTableColumns } from "drizzle-orm";
import { type Sight, shownMembers } from "../../../filter/sight.ts";
import { messageOf } from "../../../log.ts";
import type { Excerpts } from "../../../record/excerpt.ts";
import { WITH_KIND, withKinds } from "../../../record/kinds.ts";
import { type RequestRow, STORED_MEMBERS, storedMembers } from "../../../record/request-record.ts";
import { requests } from "../../../record/tables.ts";
import { loadExcerpts } from "../../../store/bodies/load-bodies.ts";
import { toObjects } from "../../../store/database/statement-cache.ts";
import type { Database, Statement } from "../../../store/store.ts";
import type { ListedRecord, OfSession, RecordKey, RecordsToShow } from "../../record-source.ts";
import { seqsOf } from "./found-row.ts";

/** Complete records, including excerpts that are in packs. */
export async function wholeRecords(
  database: Database,
  organizationId: string,
  keys: readonly RecordKey[],
): Promise<RequestRow[]> {
  const columns = `r.*, ${COMMENTS} as comments`;
  const rows = await database.query<RequestRow>(selectKeys(columns, { organizationId, keys }, "whole_requests r"));
  const packed = rows.filter(({ excerpts_packed }) => excerpts_packed !== null).map(({ request_id }) => request_id);
  const excerpts = await loadExcerpts(database, packed);
  return rows.map((row) => ({ ...row, ...(row.excerpts_packed !== null && excerpts.get(row.request_id)) }));
}

/** Some columns of records. */
export function recordColumns<Column extends keyof RequestRow>(
  database: Database,
  query: Omit<RecordsToShow, "sight"> & { readonly columns: readonly Column[] },
): Promise<Pick<RequestRow, Column>[]> {
  const columns = query.columns.map((column) => `r.${column} as ${column}`).join(", ");
  return database.query<Pick<RequestRow, Column>>(selectKeys(withKinds(columns), query, "requests r"));
}

/** The oldest records of a session. */
export async function sessionKeys(
  database: Database,
  { organizationId, sessionId, limit, upTo = Number.MAX_SAFE_INTEGER }: OfSession,
): Promise<readonly RecordKey[]> {
  const sql = `select request_id as requestId, request_created_at as createdAt from requests
    where organization_id = ? and session_id = ? and request_created_at <= ?
    order by request_created_at, request_id limit ?`;
  return database.query<RecordKey>({ sql, args: [organizationId, sessionId, upTo, limit] });
}

/** The organization that owns a record. */
export async function organizationOf(database: Database, requestId: string): Promise<string | undefined> {
  const sql = "select organization_id as id from requests where request_id = ?";
  const [row] = await database.query<{ id: string }>({ sql, args: [requestId] });
  return row?.id;
}

/**
 * Records to be printed. The driver takes longer to return a cell than the database takes to print it, so the seventy cells
 * of a record come as five.
 *
 * @param columns - required in addition to the stored members.
 */
export async function listedRecords<Column extends keyof RequestRow>(
  database: Database,
  query: RecordsToShow,
  columns: readonly Column[],
): Promise<ListedRecord<Column>[]> {
  // SQLite prints floating-point numbers with 15 digits, so such columns are returned as cells.
  const exact = columns.filter((column) => COLUMNS[column].getSQLType() === "real");
  const others = columns.filter((column) => !exact.includes(column));
  const cells = [
    `${STORED[query.sight]} as stored`,
    `json_array(${ofRow(others).join(", ")}) as others`,
    PACKED[query.sight],
    ...ofRow(exact),
  ];
  try {
    const printed = await database.query<PrintedRow<Column>>(
      selectKeys(withKinds(cells.join(", ")), query, "requests r"),
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
    // A damaged cell that JSON cannot represent must not make the other records unreadable.
    if (!/\bJSON\b/.test(messageOf(cause))) throw cause;
    const rows = await wholeRecords(database, query.organizationId, query.keys);
    return rows.map((row) => ({ stored: JSON.stringify(shownMembers(storedMembers(row), query.sight)), row }));
  }
}

type PrintedRow<Column extends keyof RequestRow> = Pick<RequestRow, Column> & {
  readonly stored: string;
  readonly others: string;
  /** The record's id if its excerpts are in packs. */
  readonly packed: string | null;
};

const PACKED: Readonly<Record<Sight, string>> = {
  bodies: "iif(r.excerpts_packed is null, null, r.request_id) as packed",
  figures: "null as packed",
};
/** The printed text of a row whose excerpts are in packs; it cannot occur within a string, where quotes are escaped. */
const NO_EXCERPTS = '"input":null,"output":null';

function withExcerpts(stored: string, { input = null, output = null }: Partial<Excerpts> = {}): string {
  return stored.replace(NO_EXCERPTS, () => `"input":${JSON.stringify(input)},"output":${JSON.stringify(output)}`);
}

const COLUMNS = getTableColumns(requests);

/** SQL of the number of comments on a request `r`. */
const COMMENTS = "(select count(*) from comments c where c.request_id = r.request_id)";

const storedObject = (sight: Sight) =>
  `json_object(${Object.entries(shownMembers(STORED_MEMBERS, sight))
    .map(([name, column]) => `'${name}', r.${column}`)
    .join(", ")}, 'comments', ${COMMENTS})`;

const STORED: Readonly<Record<Sight, string>> = { bodies: storedObject("bodies"), figures: storedObject("figures") };
const ofRow = (columns: readonly string[]) => columns.map((column) => `r.${column}`);

/** @param rows - `whole_requests r`, or `requests r` if the statement joins the kinds itself. */
function selectKeys(columns: string, { organizationId, keys }: Omit<RecordsToShow, "sight">, rows: string): Statement {
  const seqs = seqsOf(keys);
  const by = seqs === undefined ? "request_id" : "seq";
  const kinds = rows.startsWith("requests") ? WITH_KIND : "";
  const sql = `select ${columns} from json_each(?) asked cross join ${rows} on r.${by} = asked.value ${kinds}
    where r.organization_id = ? order by asked.key`;
  return { sql, args: [JSON.stringify(seqs ?? keys.map(({ requestId }) => requestId)), organizationId] };
}
