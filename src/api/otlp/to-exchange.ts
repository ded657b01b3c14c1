import { createHash } from "node:crypto";
import type { KeySnapshot } from "../../keys.ts";
import { maskLabel } from "../../masking/mask.ts";
import { storable } from "../../record/storable.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import type { WholeExchange } from "../../spool/reported-exchange.ts";
import { firstNumber, firstText } from "./attributes.ts";
import type { Attributes } from "./span.ts";
import type { Step } from "./step.ts";
import { saidIn } from "./step-bodies.ts";

/** Characters of a span's input and of its output; the rest is cut off. */
const BODY_CHARS_MAX = 1_000_000;
/** Characters of each text in it, if the total is too long. */
const TEXT_CHARS = 20_000;
const LABEL_CHARS_MAX = 1_000;
const PROPERTY = "weir.property.";
const PROPERTIES_MAX = 64;

/** The conventions' names for providers, and those in records. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "aws.bedrock": "AWS",
  bedrock: "AWS",
  "azure.ai.openai": "AZURE",
  "azure.ai.inference": "AZURE",
  azure: "AZURE",
  "gcp.gemini": "GOOGLE",
  "gcp.gen_ai": "GOOGLE",
  "gcp.vertex_ai": "GOOGLE",
  vertexai: "GOOGLE",
  gemini: "GOOGLE",
  mistral_ai: "MISTRAL",
  mistralai: "MISTRAL",
  x_ai: "X",
  xai: "X",
  "ibm.watsonx.ai": "WATSONX",
};

/** The provider of records that are not calls of a model, so that filters can distinguish them. */
const NO_MODEL = "OTEL";

/** The same span always gets the same id, however often it arrives: its time, then a hash of its trace and span ids. */
export function recordIdOf(organizationId: string, { span }: Pick<Step, "span">): string {
  const hash = createHash("sha256").update(`${organizationId}\n${span.traceId}\n${span.spanId}`).digest();
  hash.writeUIntBE(Math.floor(span.startedAt), 0, 6);
  hash[6] = (hash[6]! & 0x0f) | 0x70;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A span as a finished call. */
export function toExchange(step: Step, key: KeySnapshot, sessionId: string): WholeExchange {
  const { span, kind } = step;
  const { path, request, response } = saidIn(step);
  return {
    id: recordIdOf(key.organizationId, step),
    begin: {
      time: span.startedAt,
      method: "POST",
      path,
      target: "",
      provider: kind === "llm" || kind === "embedding" ? providerOf(span.attributes) : NO_MODEL,
      organization: key.organizationId,
      keyId: key.id,
      keyName: key.name,
      authHash: key.hash,
      headers: ["content-type", "application/json", "traceparent", `00-${span.traceId}-${span.spanId}-01`],
      gateway: labels(step, sessionId),
      omitRequest: false,
      omitResponse: false,
    },
    requestBody: bounded(request),
    responseBody: response === undefined ? null : bounded(response),
    status: span.failed ? (firstNumber(span.attributes, "http.response.status_code", "http.status_code") ?? 500) : 200,
    endedAt: span.endedAt,
  };
}

function providerOf(attributes: Attributes): string {
  const name = firstText(
    attributes,
    "gen_ai.provider.name",
    "llm.provider",
    "gen_ai.system",
    "llm.system",
  )?.toLowerCase();
  if (name === undefined) return "CUSTOM";
  if (Object.hasOwn(PROVIDERS, name)) return PROVIDERS[name]!;
  return name
    .replace(/[^a-z0-9_-]/g, "_")
    .slice(0, 100)
    .toUpperCase();
}

/** JSON of at most `BODY_CHARS_MAX` characters: long texts in it are cut until it fits. */
function bounded(body: unknown): string {
  let text = JSON.stringify(body);
  for (let most = TEXT_CHARS; text.length > BODY_CHARS_MAX && most >= 1; most = Math.floor(most / 8)) {
    text = JSON.stringify(body, (_name, value: unknown) => {
      if (typeof value === "string" && value.length > most) return `${value.slice(0, most)}…`.toWellFormed();
      return Array.isArray(value) && value.length > most ? value.slice(0, most) : value;
    });
  }
  return text;
}

/** The labels as the headers that a request through the gateway would have had. */
function labels({ span, userId }: Step, sessionId: string): RawHeaders {
  const properties = [...span.attributes].flatMap(([name, value]): [string, string][] =>
    name.startsWith(PROPERTY) && typeof value !== "object" ? [[name.slice(PROPERTY.length), String(value)]] : [],
  );
  const service = firstText(span.resource, "service.name");
  const pairs: [string, string | undefined][] = [
    ...properties
      .slice(0, PROPERTIES_MAX)
      .map(([name, value]): [string, string] => [`Gateway-Property-${name}`, maskLabel(value, name)]),
    ["Gateway-Property-Service", service],
    ["Gateway-User-Id", userId],
    ["Gateway-Session-Id", sessionId],
    ["Gateway-Session-Name", firstText(span.attributes, "session.name", "langfuse.session.name")],
    ["Gateway-Prompt-Id", firstText(span.attributes, "gen_ai.prompt.name")],
  ];
  return pairs.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [onTheWire(name), onTheWire(maskLabel(value.slice(0, LABEL_CHARS_MAX)))],
  );
}

/** UTF-8 bytes as a header value holds them (one Latin-1 character per byte). */
const onTheWire = (text: string) => Buffer.from(storable(text), "utf8").toString("latin1");
