import { readMembers } from "../../json-text/members.ts";
import type { KeySnapshot } from "../../keys.ts";
import { readRecorded } from "../../mapping/read-recorded.ts";
import { newText, shownTexts } from "../../mapping/said.ts";
import { storedUsage } from "../../mapping/usage.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { ImportRefused, readImported } from "../../record/imported.ts";
import { providerOf } from "../../record/provider.ts";
import { NO_TEXTS } from "../../record/record-texts.ts";
import { sentStatus } from "../../record/sent-status.ts";
import type { RequestRow } from "../../record/written-row.ts";
import type { Arrival, ArrivedBody } from "../../threads.ts";
import { overflows } from "../input/body.ts";

/** Members that hold a body, and the part it is stored as. */
const BODIES: Readonly<Record<string, ArrivedBody["part"]>> = {
  request_body: "request",
  response_body: "response",
  provider_request: "provider_request",
  provider_response: "provider_response",
};

/**
 * Parses one exported record.
 *
 * @param text - its JSON; bodies are stored byte for byte as written there.
 * @throws ImportRefused
 */
export function readArrival(text: string, key: KeySnapshot): Arrival {
  const value = parse(text);
  const row = readImported(value, { organization_id: key.organizationId, key_id: key.id });
  const members = readMembers(text);
  const bodies = Object.entries(BODIES).flatMap(([name, part]) => bodyOf(part, members.get(name)) ?? []);
  if (bodies.length === 0) return { row, bodies, texts: NO_TEXTS };
  const { request_body, response_body } = value as { request_body?: Json; response_body?: Json };
  const reading = readRecorded({
    method: row.method,
    host: (row.target_url && URL.parse(row.target_url)?.hostname) || "",
    path: row.request_path ?? "",
    status: sentStatus(row),
    provider: providerOf(row),
    model: row.model ?? null,
    requestModel: row.request_model ?? null,
    // A body that is not stored reads as undefined, as it will when the record is shown.
    requestBody: request_body ?? undefined,
    responseBody: response_body ?? undefined,
    llmSchema: llmSchemaOf(members),
  });
  return { row: { ...row, ...readingColumns(row, reading) }, bodies, texts: textsOf(reading) };
}

type Reading = ReturnType<typeof readRecorded>;

function readingColumns(
  row: RequestRow,
  { wireSchema, usageRaw, cacheWrite1hTokens, said }: Reading,
): Partial<RequestRow> {
  const hasUsage = row.cost_source !== "cache" && row.total_tokens !== null;
  return {
    wire_schema: wireSchema,
    usage_raw: hasUsage ? storedUsage(usageRaw) : null,
    prompt_cache_write_1h_tokens: hasUsage ? cacheWrite1hTokens : null,
    ...shownTexts(said),
  };
}

function textsOf({ promptText, completionText, said }: Reading): Arrival["texts"] {
  return { prompt: promptText, completion: completionText, said: newText(said) };
}

function llmSchemaOf(members: ReadonlyMap<string, string>): string | null | undefined {
  const text = members.get("llmSchema");
  return text === "null" ? null : text;
}

/** A string is stored as text if showing it gives back the same characters; everything else as JSON. */
function bodyOf(part: ArrivedBody["part"], json: string | undefined): ArrivedBody | undefined {
  if (json === undefined || json === "null") return undefined;
  if (json.startsWith('"')) {
    const text = JSON.parse(json) as string;
    if (text.isWellFormed() && JSON.stringify(text) === json) return { part, form: "text", bytes: Buffer.from(text) };
  }
  return { part, form: "json", bytes: Buffer.from(json) };
}

function parse(text: string): unknown {
  if (overflows(text)) throw new ImportRefused("it is nested too deeply");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ImportRefused(cause instanceof RangeError ? "it is nested too deeply" : "it is not JSON", { cause });
  }
}
