import { modelOfPath, plainContent } from "../../gateway/body/content.ts";
import { HeaderReader } from "../../gateway/headers/headers.ts";
import { type RequestFacts, SeenRequest } from "../../gateway/seen-request.ts";
import { MASKED } from "../../masking/mask.ts";
import { isSecretName } from "../../masking/names.ts";
import type { BodyNeed, Json, ProviderPlugin, RecordDraft } from "../../plugin-host/contract.ts";
import type { Hooks } from "../../plugin-host/hooks/hooks.ts";
import type { Note } from "../../plugin-host/hooks/note.ts";
import { isRefusal, type Verdict } from "../../plugin-host/hooks/verdict.ts";
import type { Registry } from "../../plugin-host/providers/registry.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { bytesOf, type TrialExchange } from "./exchange.ts";
import { methodOf, readTrial } from "./read-trial.ts";
import { draftOf, responseOf } from "./shown.ts";
import type { Trial } from "./trial.ts";

/** A plugin under test. */
interface Tried {
  readonly hooks: Hooks;
  /** The last error of each hook, by the hook's name. */
  readonly reasons: ReadonlyMap<string, string>;
  readonly registry: Registry;
}

/** Calls the hooks in the order in which the service calls them for one exchange. */
export async function tryPlugin(exchange: TrialExchange, { hooks, reasons, registry }: Tried): Promise<Trial> {
  const lines: string[] = [];
  const say = (hook: string, text: string) => lines.push(`${hook.padEnd(11)}${text}`);
  const before = new Map(hooks.failures());
  const provider = registry.providerByHost(new URL(exchange.request.url).hostname);
  const facts = factsOf(exchange, provider);
  const request = new SeenRequest(facts);
  const needs = hooks.needs(request);
  if (needs.length > 0) say("needs", needs.join(", "));
  learn(facts, needs, exchange.request.body);

  const verdict = await askBoth(hooks, request, facts, say);
  const isPassed = verdict.outcome === "complete";
  hooks.onEnd({
    id: facts.id,
    status: isPassed ? (exchange.response.status ?? 200) : (verdict.status ?? 500),
    outcome: verdict.outcome,
    forwarded: isPassed,
  });
  const after = isPassed ? await afterwards({ exchange, provider, hooks, request, say }) : {};
  const failed = [...hooks.failures()].filter(([key, count]) => count > (before.get(key) ?? 0));
  const faults = failed
    .map(([key]) => key.split(" ").at(-1)!)
    .map((hook) => `${hook}: ${reasons.get(hook) ?? "failed"}`);
  return { lines, results: { ...verdict.results, ...after }, faults };
}

interface PluginVerdict {
  readonly outcome: "complete" | "refused" | "failed";
  /** Of a refusal. */
  readonly status?: number;
  readonly results: Readonly<Record<string, Json>>;
}

/** Calls `onRequest`, then `onForward`, until one refuses or fails. */
async function askBoth(hooks: Hooks, request: SeenRequest, facts: RequestFacts, say: Say): Promise<PluginVerdict> {
  const results: Record<string, Json> = { refused: null, send: null, response_headers: null };
  const asks = {
    onRequest: () => hooks.onRequest(request, facts),
    onForward: () => hooks.onForward(request),
  };
  for (const hook of ["onRequest", "onForward"] as const) {
    if (!hooks.has(hook)) continue;
    let verdict: Verdict;
    try {
      verdict = await asks[hook]();
    } catch {
      say(hook, "failed: the client gets 500 plugin_failed");
      return { outcome: "failed", results };
    }
    say(hook, describe(verdict));
    if (isRefusal(verdict))
      return { outcome: "refused", status: verdict.status, results: { ...results, refused: verdict.code } };
    results["send"] ??= verdict?.send ?? null;
    results["response_headers"] = verdict?.responseHeaders ?? results["response_headers"];
  }
  return { outcome: "complete", results };
}

type Say = (hook: string, text: string) => void;

interface Finished {
  readonly provider: ProviderPlugin | undefined;
  readonly exchange: TrialExchange;
  readonly hooks: Hooks;
  readonly request: SeenRequest;
  readonly say: Say;
}

/** Calls the hooks on the record. */
async function afterwards({ exchange, provider, hooks, request, say }: Finished): Promise<Record<string, Json>> {
  const read = readTrial(exchange, provider, new Date());
  const draft = draftOf(request, read);
  const results: Record<string, Json> = { dropped: false, record: {}, properties: {}, scores: {} };
  if (hooks.has("onRecord")) {
    const was = mutable(draft);
    const isKept = await hooks.onRecord(draft);
    const changed = Object.fromEntries(Object.entries(mutable(draft)).filter(([name, text]) => was[name] !== text));
    results["dropped"] = !isKept;
    results["record"] = Object.fromEntries(
      Object.keys(changed).map((name) => [name, draft[name as keyof RecordDraft]]),
    );
    if (!isKept) say("onRecord", "drops the record");
    else if (Object.keys(changed).length === 0) say("onRecord", "changes nothing");
    else for (const [name, text] of Object.entries(changed)) say("onRecord", `sets ${name} to ${text}`);
    if (!isKept) return results;
  }
  const notes: [string, Note | undefined][] = [];
  if (hooks.has("onRecorded")) notes.push(["onRecorded", await hooks.onRecorded(draft)]);
  if (hooks.has("onAnswer")) notes.push(["onAnswer", await hooks.onAnswer(responseOf(request, draft, read))]);
  for (const [hook, note] of notes) {
    say(hook, note === undefined ? "adds nothing" : `adds ${JSON.stringify({ ...note.properties, ...note.scores })}`);
    Object.assign(results["properties"], note?.properties);
    Object.assign(results["scores"], note?.scores);
  }
  return results;
}

function mutable(draft: RecordDraft): Record<string, string> {
  const { facts: _facts, request_id: _id, organization_id: _organization, ...members } = draft;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value) ?? "nothing"]));
}

function describe(verdict: Verdict): string {
  if (verdict === undefined) return "passes";
  if (isRefusal(verdict)) return `refuses with ${verdict.status} ${verdict.code}: ${verdict.message}`;
  const { send, responseHeaders } = verdict;
  const parts = [
    ...(send === undefined ? [] : [`sends ${JSON.stringify(send)}`]),
    ...(responseHeaders === undefined ? [] : [`adds to the response ${JSON.stringify(responseHeaders)}`]),
  ];
  return parts.length === 0 ? "passes" : `passes, ${parts.join(", ")}`;
}

function factsOf({ request }: TrialExchange, provider: ProviderPlugin | undefined): RequestFacts {
  const url = new URL(request.url);
  const raw = Object.entries(request.headers ?? {}).flat();
  const { gateway } = new HeaderReader([]).read(raw);
  const owner = provider?.name;
  const shown = Object.entries(request.headers ?? {}).filter(([name]) => !/^gateway-/i.test(name));
  return {
    id: uuidv7(),
    method: methodOf(request),
    path: url.pathname + url.search,
    target: { origin: url.origin, host: url.hostname, owner },
    provider: owner ?? "CUSTOM",
    organizationId: "organization-of-the-test",
    keyId: "key-of-the-test",
    keyModels: null,
    shown: shown.flatMap(([name, value]) => [name, isSecretName(name) ? MASKED : value]),
    gateway,
  };
}

/** Reads from the body what the plugins' `needs` declare. */
function learn(facts: RequestFacts, needs: readonly BodyNeed[], body: Json): void {
  const { user, model, json } = plainContent({ bytes: bytesOf(body), contentType: "application/json" });
  if (needs.includes("user")) facts.bodyUser = user;
  if (needs.includes("model")) facts.model ??= modelOfPath(facts.path) ?? model;
  if (needs.includes("body")) facts.body = json;
}
