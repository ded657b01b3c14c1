import type { GatewayPlugin, Json, PluginHooks, Refusal } from "weir/plugin";
import { FINDERS, type Finder, finderOf } from "./redact/finders.ts";
import { type Found, redacted } from "./redact/walk.ts";

/** Where matches are removed: from the record or from the provider's request; or the request is refused. */
type Place = "record" | "send" | "refuse";

interface Options {
  readonly in: readonly Place[];
  /** Names of the built-in finders. */
  readonly find: readonly string[];
  /** The operator's regular expressions, by name. */
  readonly patterns: Readonly<Record<string, string>>;
}

/**
 * Removes personal data and keys from bodies: each text is searched, and matches are replaced with `[email]` and the like.
 * Does nothing unless `in` is set. A body that is not JSON is searched as text for the record, and forwarded unchanged.
 */
export default {
  apiVersion: 1,
  name: "redact",
  optionsSchema: {
    type: "object",
    properties: {
      in: { type: "array", items: { enum: ["record", "send", "refuse"] }, default: [] },
      find: { type: "array", items: { enum: Object.keys(FINDERS) }, default: Object.keys(FINDERS) },
      patterns: { type: "object", additionalProperties: { type: "string", minLength: 1 }, default: {} },
    },
    additionalProperties: false,
  },

  setup({ options, gateway }) {
    const finders: Finder[] = [
      ...options.find.map((name) => FINDERS[name]!),
      ...Object.entries(options.patterns).map(([name, pattern]) => finderOf(name, pattern)),
    ];
    const [inRecord, inSend, refuses] = (["record", "send", "refuse"] as const).map((each) =>
      options.in.includes(each),
    );
    let count = 0;
    const clean = (body: Json): Found => {
      const found = redacted(body, finders);
      count += found.names.length;
      return found;
    };
    const counters = () => ({ found_texts: count });
    if (gateway === undefined) {
      if (!inRecord) return {};
      return {
        onRecord(draft) {
          draft.request_body = clean(draft.request_body).body;
          draft.response_body = clean(draft.response_body).body;
        },
        counters,
      } satisfies PluginHooks;
    }
    if (!inSend && !refuses) return {};
    return {
      needs: ["body"],
      onRequest({ body }) {
        const { names, body: cleaned } = clean(body);
        if (names.length === 0) return undefined;
        if (refuses) return refusal(names);
        return { send: { body: changedMembers(body, cleaned) } };
      },
      counters,
    } satisfies PluginHooks;
  },
} satisfies GatewayPlugin<Options>;

/** A change replaces top-level members; unchanged members keep their bytes. */
function changedMembers(before: Json, after: Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name]));
}

/** Names the kinds of matches without repeating the matched text. */
function refusal(names: readonly string[]): Refusal {
  const found = [...new Set(names)].join(", ");
  return { status: 400, code: "personal_data", message: `the request holds ${found}; take it out and send it again` };
}
