import type { BodyStore } from "../store/bodies/body-store.ts";
import type { RequestContent } from "../store/packs/request-content.ts";
import type { Statement } from "../store/store.ts";
import type { Storable } from "./storable.ts";

/** Characters of prompt and completion that are stored for searching. */
export const TEXT_LENGTH_MAX = 1_000_000;

/** The contents of a record, which are stored with its bodies. */
type StoredContent = Pick<Storable, "parts" | "texts" | "assets" | "excerpts"> & {
  readonly row: Pick<Storable["row"], "request_id" | "organization_id">;
};

interface PutOptions {
  /** Statements for the same transaction. */
  readonly beside?: readonly Statement[];
  /** Requests that cannot have stored contents yet. */
  readonly newIds?: ReadonlySet<string>;
}

/** The first transaction: writes everything that records refer to into `bodies.db`. */
export async function putContents(
  content: BodyStore,
  records: readonly StoredContent[],
  { beside = [], newIds = new Set() }: PutOptions = {},
): Promise<void> {
  const contents: RequestContent[] = [];
  for (const { row, parts, texts, assets, excerpts } of records) {
    // A record in flight: nothing is decoded yet.
    if (parts.length === 0 && texts.prompt === null && texts.completion === null) continue;
    const { request_id: requestId, organization_id: organizationId } = row;
    const [prompt, completion] = [shortened(texts.prompt), shortened(texts.completion)];
    const isNew = newIds.has(requestId);
    const said = { prompt, completion };
    contents.push({ requestId, organizationId, parts, assets, texts: said, isNew, excerpts });
  }
  await content.put(contents, beside);
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
}
