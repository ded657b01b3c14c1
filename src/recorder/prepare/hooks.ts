import { SET_BY_PLUGIN } from "../../mapping/prices/cost.ts";
import type { ExchangeReading } from "../../mapping/read-exchange.ts";
import { excerptsOf, newText } from "../../mapping/said.ts";
import type { Json, RecordDraft } from "../../plugin-host/contract.ts";
import type { BodyTexts } from "../../plugin-host/hooks/draft.ts";
import type { Note } from "../../plugin-host/hooks/note.ts";
import { dollars, isCost } from "../../record/dollars.ts";
import { PROVIDER_UNKNOWN, providerOf } from "../../record/provider.ts";
import { storable } from "../../record/storable.ts";
import type { StoredPart } from "../../store/packs/request-content.ts";
import { PreparedFacts } from "./facts.ts";
import type { PrepareDeps, Prepared } from "./prepared.ts";

/** The plugins' hooks on records; each call is bounded, and a hook that fails changes nothing. */
export interface RecordHooks {
  has(name: "onRecord" | "onRecorded"): boolean;
  /** @param texts - of the draft's bodies. @returns false if the record is to be dropped. */
  onRecord(draft: RecordDraft, texts: BodyTexts): Promise<boolean>;
  /** @returns the additions to the record. Never throws or rejects. */
  onRecorded(draft: Readonly<RecordDraft>): Note | undefined | Promise<Note | undefined>;
}

/** A record as plugins see it. */
export function toDraft(prepared: Prepared): RecordDraft {
  const { row, labels, requestBody, responseBody } = prepared;
  return {
    request_id: row.request_id,
    organization_id: row.organization_id,
    provider: providerOf(row),
    model: row.model ?? null,
    request_user_id: row.user_id ?? null,
    properties: { ...labels.properties },
    cost: row.cost ?? null,
    threat: null,
    response_status: row.response_status ?? null,
    request_body: requestBody,
    response_body: responseBody,
    facts: new PreparedFacts(prepared),
  };
}

/** What `onRecorded` sees: the record as plugins changed it, and facts as stored. */
export function storedDraft(stored: Prepared, draft: RecordDraft | undefined): RecordDraft {
  return draft === undefined ? toDraft(stored) : { ...draft, facts: new PreparedFacts(stored) };
}

/** Applies the plugins' changes to what will be stored: a redacted body is redacted in every stored form of it. */
export function applyDraft(prepared: Prepared, draft: RecordDraft, before: BodyTexts, deps: PrepareDeps): Prepared {
  const after = bodyTexts(draft);
  const requestChanged = after.request !== before.request;
  const responseChanged = after.response !== before.response;
  const properties = toStrings(draft.properties);
  const cost = isCost(draft.cost) ? dollars(draft.cost) : null;
  const changed = {
    ...prepared.row,
    provider: prepared.row.provider === null && draft.provider === PROVIDER_UNKNOWN ? null : String(draft.provider),
    model: draft.model === null || draft.model === undefined ? null : String(draft.model),
    user_id:
      draft.request_user_id === null || draft.request_user_id === undefined ? null : String(draft.request_user_id),
    cost,
    ...(cost !== (prepared.row.cost ?? null) && { cost_source: SET_BY_PLUGIN }),
    threat: typeof draft.threat === "boolean" ? Number(draft.threat) : null,
    properties: JSON.stringify(properties),
  };
  let { parts, texts, excerpts } = prepared;
  if (requestChanged) {
    parts = replaced(
      parts.filter(({ part }) => part !== "provider_request"),
      "request",
      draft.request_body,
    );
  }
  if (responseChanged) {
    parts = replaced(
      parts.filter(({ part }) => part !== "raw" && part !== "provider_response"),
      "response",
      draft.response_body,
    );
  }
  if (requestChanged || responseChanged) {
    const reading = readDraft(prepared, draft, deps);
    const { begin } = prepared.exchange;
    texts = {
      prompt: reading.promptText ?? null,
      completion: reading.completionText ?? null,
      said: newText(reading.said, begin),
    };
    excerpts = excerptsOf(reading.said, begin);
  }
  return {
    ...prepared,
    changedByPlugins: true,
    row: changed,
    parts,
    texts,
    excerpts,
    labels: { ...prepared.labels, properties },
  };
}

/** Taken before and after the plugins run: the only way to detect a change deep inside a body. */
export function bodyTexts({ request_body, response_body }: RecordDraft): BodyTexts {
  return { request: JSON.stringify(request_body), response: JSON.stringify(response_body) };
}

function replaced(parts: readonly StoredPart[], part: "request" | "response", body: Json): StoredPart[] {
  const others = parts.filter((each) => each.part !== part);
  if (body === undefined || body === null) return others;
  const form = typeof body === "string" ? "text" : "json";
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return [...others, { part, form, bytes, contentType: null }];
}

/** The reading of the bodies as the plugins left them. */
function readDraft({ input, row }: Prepared, draft: RecordDraft, deps: PrepareDeps): ExchangeReading {
  if (input === undefined) return {};
  try {
    return deps.readExchange({
      method: input.method,
      path: input.path,
      host: input.host,
      status: input.status,
      requestHeaders: input.requestHeaders,
      responseHeaders: input.responseHeaders,
      provider: input.provider,
      modelOverride: input.modelOverride,
      requestBody: draft.request_body,
      responseBody: draft.response_body,
      events: undefined,
    });
  } catch (error) {
    deps.onReadingFailed(error, providerOf(row));
    return {};
  }
}

function toStrings(properties: unknown): Record<string, string> {
  const strings: Record<string, string> = Object.create(null);
  if (typeof properties !== "object" || properties === null) return strings;
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== null && name !== "") strings[storable(name)] = storable(String(value));
  }
  return strings;
}
