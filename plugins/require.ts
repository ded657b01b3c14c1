import type { GatewayPlugin, GatewayRequest, PluginHooks, Refusal } from "weir/plugin";

/** A property that requests must carry, as `Gateway-Property-<name>`. */
interface Required {
  readonly name: string;
  /** Allowed values; any text if missing. */
  readonly values?: readonly string[];
  /** Target hosts to which it applies, for example `api.openai.com` or `*.openai.com`. */
  readonly hosts?: readonly string[];
  /** Organizations to which it applies. */
  readonly organizations?: readonly string[];
  /** The message of the refusal, instead of Weir's own. */
  readonly message?: string;
}

interface Options {
  readonly properties: readonly Required[];
  /** Whether a request must name its user, in `Gateway-User-Id` or in its body. */
  readonly user: boolean;
}

const TEXTS = { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 };

/** Refuses requests without the labels that the operator requires. */
export default {
  apiVersion: 1,
  name: "require",
  optionsSchema: {
    type: "object",
    properties: {
      properties: {
        type: "array",
        default: [],
        items: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string", minLength: 1 },
            values: TEXTS,
            hosts: TEXTS,
            organizations: TEXTS,
            message: { type: "string", minLength: 1 },
          },
          additionalProperties: false,
        },
      },
      user: { type: "boolean", default: false },
    },
    additionalProperties: false,
  },

  setup({ options, gateway }) {
    const { properties, user } = options;
    if (gateway === undefined || (properties.length === 0 && !user)) return {};
    return {
      needs: user ? ["user"] : [],

      onRequest(request) {
        if (user && !request.userId)
          return refusal(400, "user_missing", "send Gateway-User-Id, or a user in the JSON body");
        for (const required of properties) {
          const refused = isAbout(required, request) ? refuse(required, request) : undefined;
          if (refused !== undefined) return refused;
        }
        return undefined;
      },
    } satisfies PluginHooks;
  },
} satisfies GatewayPlugin<Options>;

function isAbout({ hosts, organizations }: Required, { target, organizationId }: GatewayRequest): boolean {
  if (organizations !== undefined && !organizations.includes(organizationId)) return false;
  return hosts === undefined || hosts.some((host) => isHost(host.toLowerCase(), target.host));
}

function isHost(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : pattern === host || pattern === "*";
}

function refuse({ name, values, message }: Required, { properties }: GatewayRequest): Refusal | undefined {
  // The property came as a header, whose name is case-insensitive.
  const sent = Object.keys(properties).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = sent === undefined ? "" : properties[sent]!;
  if (value === "") return refusal(400, "property_missing", message ?? `send Gateway-Property-${name}${oneOf(values)}`);
  if (values === undefined || values.includes(value)) return undefined;
  return refusal(403, "property_not_allowed", message ?? `Gateway-Property-${name} must be${oneOf(values)}`);
}

function oneOf(values: readonly string[] | undefined): string {
  return values === undefined ? "" : `${values.length > 1 ? " one of" : ""} ${values.join(", ")}`;
}

function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}
