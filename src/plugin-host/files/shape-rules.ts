import type { Limits, PartName, SettingName, Shape, ShapeAt, ShapeName } from "../contract.ts";
import { aFunction, headers, isRecord, type Member, object, oneOf, type Rule, shown, text } from "./rules.ts";

/** An entry of a provider's `shapes`. */
export const shapeAt: Rule = (value) => (isRecord(value) ? place(value) : builtIn(value));

const shape: Rule = (value) =>
  isRecord(value) ? (ownShape(value) ?? ownName(value) ?? client(value)) : builtIn(value);

const BUILT_IN: Readonly<Record<ShapeName, true>> = {
  "chat-completions": true,
  responses: true,
  messages: true,
  completions: true,
  "generate-content": true,
  converse: true,
  "cohere-chat": true,
  "ollama-chat": true,
  embeddings: true,
};

const builtIn = oneOf(BUILT_IN, "a shape, or the name of a built-in one");

const take: Member = { rule: text(/^[=\-DAFR]$/, '"=", "-", "D", "A", "F" or "R"') };
const yes: Member = { rule: (value) => (value === true || value === false ? undefined : "must be true or false") };
const count: Member = { rule: (value) => (typeof value === "number" ? undefined : "must be a number") };
const pattern: Member = { rule: (value) => (value instanceof RegExp ? undefined : "must be a regular expression") };
const anything: Member = { rule: () => undefined };

const SETTINGS: Readonly<Record<SettingName, Member>> = {
  maxTokens: take,
  temperature: take,
  topP: take,
  topK: take,
  stop: take,
  seed: take,
  presencePenalty: take,
  frequencyPenalty: take,
  logitBias: take,
  n: take,
  logprobs: take,
  topLogprobs: take,
  format: take,
  thinking: take,
  verbosity: take,
  parallelCalls: take,
  user: take,
  cacheKey: take,
  metadata: take,
  store: take,
  serviceTier: take,
  prediction: take,
  truncation: take,
  include: take,
  modalities: take,
  audio: take,
  conversation: take,
  background: take,
  storedPrompt: take,
  previousResponse: take,
};

const PARTS: Readonly<Record<PartName, Member>> = {
  laterSystem: take,
  imageBytes: take,
  imageDetail: take,
  participant: take,
  imageUrl: take,
  pdf: take,
  fileUrl: take,
  textFile: take,
  fileId: take,
  audioIn: take,
  strict: take,
  customTool: take,
  namespace: take,
  search: take,
  choiceNone: take,
  choiceAny: take,
  choiceOne: take,
  choiceSearch: take,
  allowedTools: take,
  resultError: take,
  resultImages: take,
  resultFiles: take,
  cacheMarks: take,
  jsonObject: take,
  formatDescription: take,
  imageOut: take,
};

const LIMITS: Readonly<Record<keyof Limits, Member>> = {
  toolName: pattern,
  callId: pattern,
  stopTexts: count,
  noBlankStop: yes,
  temperatureMax: count,
  turnsAlternate: yes,
  userFirst: { rule: text(/^(always|calls)$/, "always or calls") },
  noEmptyText: yes,
  callsNeedTools: yes,
  resultNames: yes,
  maxTokensRequired: yes,
  maxTokensLeast: count,
  reasoning: { rule: text(/^(effort|budget|adaptive|level|none)$/, "effort, budget, adaptive, level or none") },
  efforts: anything,
  budgets: anything,
  noForcedThinking: yes,
  thoughtsLead: yes,
  searchAlone: yes,
  searchMember: { rule: text(/./, "a member's name") },
  notWhileThinking: anything,
  schemaTool: yes,
  schemaText: yes,
};

const SHAPE: Readonly<Record<keyof Shape, Member>> = {
  name: { required: true, rule: text(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a lower-case name with dashes such as acme-chat") },
  takes: { rule: object({ ...SETTINGS, ...PARTS }, "takes") },
  limits: { rule: object(LIMITS, "limits") },
  writeRequest: { required: true, rule: aFunction },
  readAnswer: { required: true, rule: aFunction },
  readEvent: { required: true, rule: aFunction },
  readError: { required: true, rule: aFunction },
  endpoint: pattern,
  readRequest: { rule: aFunction },
  writeAnswer: { rule: aFunction },
  writeEvents: { rule: aFunction },
  writeError: { rule: aFunction },
  writeStatus: { rule: aFunction },
  writeCount: { rule: aFunction },
  keepAlive: { rule: aFunction },
};

const ownShape = object(SHAPE, "a shape");

/** A drop-in's name would otherwise count as the built-in shape. */
const ownName = ({ name }: Readonly<Record<string, unknown>>) =>
  Object.hasOwn(BUILT_IN, name as string)
    ? `: the member "name" is that of a built-in shape, ${shown(name)}`
    : undefined;

/** What a shape needs that clients speak. */
const CLIENT: readonly (keyof Shape)[] = ["endpoint", "readRequest", "writeAnswer", "writeEvents", "writeError"];

function client(value: Readonly<Record<string, unknown>>): string | undefined {
  const missing = CLIENT.filter((member) => value[member] === undefined);
  if (missing.length === 0 || missing.length === CLIENT.length) return undefined;
  return `: the member "${missing[0]}" is missing; a shape that clients speak has ${CLIENT.join(", ")}`;
}

const SHAPE_AT: Readonly<Record<keyof ShapeAt, Member>> = {
  shape: { required: true, rule: shape },
  path: { rule: aFunction },
  serves: { rule: aFunction },
  countPath: { rule: aFunction },
  headers: { rule: headers },
  betas: { rule: headers },
  threads: { rule: (value) => (value === true ? undefined : "must be true") },
  place: { rule: (value) => (isRecord(value) ? undefined : "must be an object") },
};

const place = object(SHAPE_AT, "a shape's place");
