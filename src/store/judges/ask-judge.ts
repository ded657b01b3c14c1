import { toLlmSchema } from "../../mapping/read-exchange.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { LlmSchema } from "../../record/llm-schema.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { PassedOn } from "../../runtime/http/pass-on.ts";
import { askUnified } from "../../unified/ask-unified.ts";
import { bodyTexts, loadMappings, loadShownBodies, type MappingsOfProviders } from "../bodies/body-text.ts";
import type { Store } from "../databases.ts";
import type { JudgeRule } from "./judge-rule.ts";
import { type JudgedRecord, judgedRecord, judgeRequest, outputOf } from "./prompt.ts";
import { JUDGE_PROPERTY } from "./sampling.ts";
import { type JudgeVerdict, readVerdict, Unreadable } from "./verdict.ts";

const TIMEOUT_MS = 120_000;
/** Status codes that concern only this request: too long, or refused because of its content. */
const OWN_FAULT = new Set([400, 413, 422]);

/** The parts of a record that a judge sees. */
export async function loadJudged(
  { content, records }: Pick<Store, "content" | "records">,
  row: RequestRow,
  { reference, ofProviders }: { readonly reference: string | null; readonly ofProviders: MappingsOfProviders },
): Promise<JudgedRecord> {
  const properties = JSON.parse(row.properties) as Record<string, string>;
  const llm = await llmSchemaOf({ content, records }, row, ofProviders);
  return judgedRecord(llm, { model: row.model, properties }, reference ?? "");
}

/** Reads the verdict from the record of a judge's completed call; undefined when it contains none. */
export async function verdictOfCall(
  store: Pick<Store, "content" | "records">,
  call: RequestRow,
  rule: Pick<JudgeRule, "scores">,
  ofProviders: MappingsOfProviders,
): Promise<readonly JudgeVerdict[] | undefined> {
  if (call.response_status === null || call.response_status >= 300) return undefined;
  try {
    return readVerdict(outputOf(await llmSchemaOf(store, call, ofProviders)), rule.scores);
  } catch {
    return undefined;
  }
}

async function llmSchemaOf(
  { content, records }: Pick<Store, "content" | "records">,
  row: RequestRow,
  ofProviders: MappingsOfProviders,
): Promise<LlmSchema | null> {
  const bodies = (await loadShownBodies(content, [row.request_id])).get(row.request_id);
  if (bodies === undefined) return null;
  const mappings = await loadMappings(records, [row], ofProviders);
  return JSON.parse(bodyTexts(row, bodies, mappings).llmSchema);
}

interface JudgeCall {
  readonly passedOn: PassedOn;
  readonly keyHash: string;
  /** The id of the call's own record. */
  readonly callId: string;
  readonly signal?: AbortSignal;
}

/** The result of a judge's call. */
export type JudgeOutcome =
  | { readonly kind: "verdict"; readonly verdicts: readonly JudgeVerdict[]; readonly answer: string }
  /** This record could not be judged; others may be. */
  | { readonly kind: "record"; readonly error: string; readonly answer: string | undefined }
  /** Nothing can be judged now, because of the model, the key or a limit. */
  | { readonly kind: "judge"; readonly error: string; readonly waitSeconds: number | undefined };

/** Sends a record to a judge. Never throws. */
export async function askJudge(call: JudgeCall, rule: JudgeRule, record: JudgedRecord): Promise<JudgeOutcome> {
  let answer: Awaited<ReturnType<typeof askUnified>>;
  try {
    answer = await askUnified(call.passedOn, {
      keyHash: call.keyHash,
      path: "/v1/chat/completions",
      body: judgeRequest(rule, record),
      headers: { "Gateway-Request-Id": call.callId, [`Gateway-Property-${JUDGE_PROPERTY}`]: rule.name },
      timeoutMs: TIMEOUT_MS,
      signal: call.signal,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "judge", error: message, waitSeconds: undefined };
  }
  const { status, body } = answer;
  if (status >= 300) {
    const error = `${status}: ${errorOf(body)}`;
    if (OWN_FAULT.has(status)) return { kind: "record", error, answer: undefined };
    return { kind: "judge", error, waitSeconds: answer.retryAfterSeconds };
  }
  const text = outputOf(readResponse(body));
  try {
    return { kind: "verdict", verdicts: readVerdict(text, rule.scores), answer: text };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: "record", error: error.message, answer: text };
  }
}

function readResponse(body: Json): LlmSchema | null {
  return toLlmSchema({
    wireSchema: "chat-completions",
    mapping: undefined,
    provider: "OPENAI",
    model: null,
    requestModel: null,
    responseModel: null,
    path: "/v1/chat/completions",
    requestBody: undefined,
    responseBody: body,
    status: 200,
  });
}

const ERROR_CHARS_MAX = 500;

function errorOf(body: Json): string {
  const message = body?.error?.message ?? body?.message ?? body?.error;
  return (typeof message === "string" && message !== "" ? message : "no message").slice(0, ERROR_CHARS_MAX);
}
