import type { GatewayPlugin, GatewayRequest, PluginHooks, Refusal } from "weir/plugin";

/**
 * A rule: the requests to which it applies, and their allowed models. Patterns contain `*`, ignore case, and match `model`
 * or `provider/model`.
 */
interface Rule {
  /** Id of a service key. */
  readonly key?: string;
  readonly organization?: string;
  /** Properties by name, with a pattern for the value. */
  readonly property?: Readonly<Record<string, string>>;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

interface Options extends Pick<Rule, "allow" | "deny"> {
  readonly rules: readonly Rule[];
  /** How to treat a request that could use a model but names no readable one. */
  readonly unknown: "refuse" | "pass";
}

const PATTERNS = { type: "array", items: { type: "string", minLength: 1 } };
const LISTS = { allow: PATTERNS, deny: PATTERNS };
const TEXT = { type: "string" };

/**
 * Restricts the models: lists for all requests, by key, by organization or by property, and the key's own list. Every rule
 * that applies to a request must allow its model. The body is read only if a rule applies.
 */
export default {
  apiVersion: 1,
  name: "models",
  optionsSchema: {
    type: "object",
    properties: {
      ...LISTS,
      rules: {
        type: "array",
        default: [],
        items: {
          type: "object",
          properties: {
            key: TEXT,
            organization: TEXT,
            property: { type: "object", additionalProperties: TEXT },
            ...LISTS,
          },
          additionalProperties: false,
        },
      },
      unknown: { enum: ["refuse", "pass"], default: "refuse" },
    },
    additionalProperties: false,
  },

  setup({ options, gateway }) {
    if (gateway === undefined) return {};
    const { allow, deny, rules, unknown } = options;
    const all: readonly Rule[] = allow || deny ? [{ ...(allow && { allow }), ...(deny && { deny }) }, ...rules] : rules;
    const rulesOf = (request: GatewayRequest): readonly Rule[] => {
      if (all.length === 0 && request.keyModels === null) return all;
      const own = all.filter((rule) => isAbout(rule, request));
      return request.keyModels === null ? own : [...own, ofKey(request.keyModels)];
    };
    return {
      needs: (request) => (rulesOf(request).length > 0 ? MODEL : NOTHING),

      onRequest(request) {
        const about = rulesOf(request);
        if (about.length === 0) return undefined;
        const { model, provider, method } = request;
        if (model === undefined) return unknown === "pass" || READS.has(method) ? undefined : unreadable;
        const names = [model, `${provider}/${model}`];
        return about.every((rule) => allows(rule, names)) ? undefined : refusal(model);
      },

      admits: () => all.length === 0,
    } satisfies PluginHooks;
  },
} satisfies GatewayPlugin<Options>;

const MODEL = ["model"] as const;
const NOTHING = [] as const;
/** Methods that list or delete, and use no model. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

function isAbout({ key, organization, property = {} }: Rule, request: GatewayRequest): boolean {
  if (key !== undefined && key !== request.keyId) return false;
  if (organization !== undefined && organization !== request.organizationId) return false;
  return Object.entries(property).every(([name, pattern]) => fits(pattern, propertyOf(request.properties, name)));
}

/** Header names are case-insensitive. */
function propertyOf(properties: Readonly<Record<string, string>>, name: string): string | undefined {
  const sent = Object.keys(properties).find((each) => each.toLowerCase() === name.toLowerCase());
  return sent === undefined ? undefined : properties[sent];
}

function allows({ allow, deny = [] }: Rule, names: readonly string[]): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => names.some((name) => fits(pattern, name)));
  return !isIn(deny) && (allow === undefined || isIn(allow));
}

/** A key's list, in which `!` excludes. */
function ofKey(patterns: readonly string[]): Rule {
  const allow = patterns.filter((pattern) => !pattern.startsWith("!"));
  const deny = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  return allow.length === 0 && deny.length > 0 ? { deny } : { allow, deny };
}

const compiled = new Map<string, RegExp>();

function fits(pattern: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  let known = compiled.get(pattern);
  if (known === undefined) {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    known = new RegExp(`^${parts.join(".*")}$`, "is");
    if (compiled.size < 10_000) compiled.set(pattern, known);
  }
  return known.test(text);
}

function refusal(model: string): Refusal {
  const message = `the model ${model} may not be used with this key and these properties; ask for another, or its operator`;
  return { status: 403, code: "model_forbidden", message };
}

const unreadable: Refusal = {
  status: 403,
  code: "model_forbidden",
  message: "this request names no model that can be read, and only some models may be used; name one in its JSON body",
};
