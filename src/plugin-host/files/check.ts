import { wantedInWords } from "../../checked.ts";
import { formFaultOf, type Mapping, placesFaultOf } from "../../record/mapping-schema.ts";
import type {
  CredentialForm,
  GatewayPlugin,
  ModelList,
  PathSchema,
  PluginHooks,
  PluginRoute,
  ProviderPlugin,
  WireSchemaName,
} from "../contract.ts";
import { isHostPattern } from "../hosts.ts";
import {
  aFunction,
  eachOf,
  headers,
  isRecord,
  listOf,
  type Member,
  object,
  oneOf,
  type Rule,
  shown,
  text,
  wrongMember,
} from "./rules.ts";
import { shapeAt } from "./shape-rules.ts";

/** The two folders have different contracts. */
export type PluginKind = "provider" | "plugin";

const isLowerName = (value: unknown) => typeof value === "string" && /^[a-z0-9][a-z0-9._-]*$/.test(value);

const origin: Rule = (value) =>
  typeof value === "string" && URL.canParse(value) && /^https?:\/\/[^/?#@]+\/?$/.test(value)
    ? undefined
    : "must be an origin such as https://api.example.com";

const WIRE_SCHEMAS: Readonly<Record<WireSchemaName, true>> = {
  "chat-completions": true,
  responses: true,
  completions: true,
  embeddings: true,
  images: true,
  speech: true,
  transcriptions: true,
  moderations: true,
  messages: true,
  "generate-content": true,
  interactions: true,
  converse: true,
  "cohere-chat": true,
  "cohere-generate": true,
  "ollama-chat": true,
  "ollama-generate": true,
  "text-generation": true,
  rerank: true,
  logged: true,
};

const PATH_SCHEMA: Readonly<Record<keyof PathSchema, Member>> = {
  path: {
    required: true,
    rule: (value) => (value instanceof RegExp ? undefined : "must be a regular expression, such as /^\\/v1\\/chat/"),
  },
  schema: { required: true, rule: oneOf(WIRE_SCHEMAS, "the name of a wire format") },
};

const mask: Rule = (value) => {
  if (!isRecord(value)) return "must be an object with headers and query";
  const unknown = Object.keys(value).find((name) => name !== "headers" && name !== "query");
  if (unknown !== undefined) return `has no member ${shown(unknown)}; it has headers and query`;
  const isLower = (entry: unknown) => typeof entry === "string" && entry !== "" && entry === entry.toLowerCase();
  for (const [name, list] of Object.entries(value)) {
    const wrong = list === undefined ? undefined : listOf(isLower, "a lower-case name")(list);
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return undefined;
};

const mapping: Rule = (value) => {
  const form = formFaultOf(value, wantedInWords);
  if (form !== undefined) return form.path === "" ? form.message : `${form.path}: ${form.message}`;
  const { wire_schema: known, ...places } = value as Mapping;
  if (known !== undefined) return "wire_schema: name known formats in wireSchemas, with their paths";
  const wrong = placesFaultOf(places);
  return wrong && `${wrong.path}: ${wrong.message}`;
};

const isBodyNeed = (value: unknown) => value === "user" || value === "model" || value === "body";

/** The error of a list of needs. */
export const whyNoNeeds: Rule = listOf(isBodyNeed, '"user", "model" or "body"');

const isNames = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === "string");

const CREDENTIAL: Readonly<Record<keyof CredentialForm, Member>> = {
  secret: { required: true, rule: listOf(isLowerName, "lower-case name") },
  oneOf: { rule: listOf(isNames, "list of names of secret members") },
  settings: { rule: (value) => (isRecord(value) ? undefined : "must be an object of names and JSON Schemas") },
  required: { rule: listOf(isLowerName, "lower-case name") },
  baseUrl: { rule: text(/^required$/, '"required"') },
};

const MODEL_LIST: Readonly<Record<keyof ModelList, Member>> = {
  path: { required: true, rule: text(/^\//, "a path such as /models") },
  fromOrigin: { rule: (value) => (value === true ? undefined : "must be true") },
  read: { required: true, rule: aFunction },
};

const isModelEntry = (value: unknown) =>
  isRecord(value) && (typeof value["match"] === "string" || typeof value["of"] === "string");

const AUTHS = ["bearer", "x-api-key", "sigv4", "google", "azure", "none"];

const auth: Rule = (value) =>
  typeof value === "function" ||
  AUTHS.includes(value as string) ||
  (isRecord(value) && Object.keys(value).length === 1 && typeof value["header"] === "string")
    ? undefined
    : `must be ${AUTHS.join(", ")}, { header } or a function`;

const ROUTE: Readonly<Record<keyof PluginRoute, Member>> = {
  method: { required: true, rule: text(/^(GET|POST|PUT|DELETE)$/, "GET, POST, PUT or DELETE") },
  path: { required: true, rule: text(/^\/v1(\/:?[a-z0-9_-]+)+$/, "a path such as /v1/domains/:domain") },
  scope: { required: true, rule: text(/^(figures|read|write|admin)$/, "figures, read, write or admin") },
  summary: { required: true, rule: text(/./, "a sentence") },
  body: { rule: (value) => (isRecord(value) ? undefined : "must be a JSON Schema object") },
  handle: { required: true, rule: aFunction },
};

const apiVersion: Member = {
  required: true,
  rule: (value) => (value === 1 ? undefined : "must be 1, the only version of the contract there is"),
};

const upperName = text(/^[A-Z0-9][A-Z0-9_.-]*$/, "an upper-case name such as ACME");

const PROVIDER: Readonly<Record<keyof ProviderPlugin, Member>> = {
  apiVersion,
  name: { required: true, rule: upperName },
  aliases: { rule: listOf(isLowerName, "a lower-case name") },
  hosts: { rule: listOf(isHostPattern, "a host name or pattern such as *.example.com") },
  target: { rule: origin },
  dedicatedDomain: { rule: text(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "one lower-case domain label such as acme") },
  extends: { rule: upperName },
  wireSchemas: { rule: eachOf(object(PATH_SCHEMA, "an entry of wireSchemas"), "{ path, schema }") },
  mapping: { rule: mapping },
  mask: { rule: mask },
  basePath: { rule: text(/^(\/[^/?#]+)*$/, "a path such as /v1, or empty") },
  origin: { rule: aFunction },
  shapes: { rule: eachOf(shapeAt, "shapes") },
  headers: { rule: headers },
  auth: { rule: auth },
  credential: { rule: object(CREDENTIAL, "a credential") },
  models: { rule: listOf(isModelEntry, "{ match, … } or { of }") },
  listModels: { rule: object(MODEL_LIST, "a list of models") },
  readRequest: { rule: aFunction },
  readResponse: { rule: aFunction },
  readEvent: { rule: aFunction },
  cost: { rule: aFunction },
};

const PLUGIN: Readonly<Record<keyof GatewayPlugin, Member>> = {
  apiVersion,
  name: { required: true, rule: text(/^[a-z0-9][a-z0-9-]*$/, "a lower-case name such as office-hours") },
  optionsSchema: { rule: (value) => (isRecord(value) ? undefined : "must be a JSON Schema object") },
  setup: { required: true, rule: aFunction },
};

const HOOKS: Readonly<Record<keyof PluginHooks, Member>> = {
  needs: { rule: (value) => (typeof value === "function" ? undefined : whyNoNeeds(value)) },
  onRequest: { rule: aFunction },
  onForward: { rule: aFunction },
  onEnd: { rule: aFunction },
  onAnswer: { rule: aFunction },
  onRecord: { rule: aFunction },
  onRecorded: { rule: aFunction },
  routes: { rule: eachOf(object(ROUTE, "a route"), "routes") },
  counters: { rule: aFunction },
  limitsOf: { rule: aFunction },
  admits: { rule: aFunction },
  onAdmitted: { rule: aFunction },
  dispose: { rule: aFunction },
};

/** A file, or its content, that does not match the contract. The message names file and member. */
export class PluginError extends Error {
  readonly file: string;
  /** The message without the file. */
  readonly reason: string;

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = "PluginError";
    this.file = file;
    this.reason = reason;
  }
}

/** The default export of `file` as a provider. @throws PluginError naming the first invalid member. */
export function checkProvider(value: unknown, file: string): ProviderPlugin {
  return check<ProviderPlugin>(value, PROVIDER, file, "a provider");
}

/** The default export of `file` as a plugin. @throws PluginError naming the first invalid member. */
export function checkPlugin(value: unknown, file: string): GatewayPlugin {
  return check<GatewayPlugin>(value, PLUGIN, file, "a plugin");
}

/** The result of `setup`. @throws PluginError naming the first invalid member. */
export function checkHooks(value: unknown, file: string): PluginHooks {
  return check<PluginHooks>(value, HOOKS, file, "what setup returns");
}

function check<T>(value: unknown, members: Readonly<Record<string, Member>>, file: string, what: string): T {
  if (!isRecord(value)) {
    throw new PluginError(file, value === undefined ? "it has no default export" : `${what} must be an object`);
  }
  const wrong = wrongMember(value, members, what);
  if (wrong !== undefined) throw new PluginError(file, wrong);
  return value as T;
}
