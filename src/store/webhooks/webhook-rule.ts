import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";
import { type RequestRow, toRecordFields } from "../../record/request-record.ts";
import { type ChannelChecks, checkUrl } from "../alerts/channels.ts";
import { AUDIT_EVENT } from "../audit/audience.ts";
import { readSecret } from "../deliveries/signing.ts";

/** Fields that a webhook sends about a request by default. */
const FIELDS_DEFAULT: readonly string[] = [
  ...["organization_id", "provider", "model", "request_created_at", "request_method", "request_path"],
  ...["request_user_id", "session_id", "response_created_at", "response_status", "outcome", "error_code"],
  ...["delay_ms", "time_to_first_token", "prompt_tokens", "completion_tokens", "total_tokens"],
  ...["cost", "cached", "streamed", "size_bytes"],
];

/** Record fields that a webhook can select: all except the URLs of files, which it never gets. */
const WEBHOOK_FIELDS: readonly string[] = Object.keys(
  toRecordFields({} as RequestRow, { signedBodyUrl: "", assetUrls: {} }),
).filter((name) => name !== "asset_urls");

const FILTERS_MAX = 20;

export const REQUEST_EVENT = "request.finished";
/** Events that a webhook can subscribe to. */
const EVENTS: readonly string[] = [REQUEST_EVENT, AUDIT_EVENT];

export const WEBHOOK_SCHEMA = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_000, description: "http(s) address that requests are posted to." }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    events: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 10,
        description: `Of ${EVENTS.join(", ")}; default: finished requests alone.`,
      }),
    ),
    property_filters: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 1_000 }),
            value: Type.Optional(Type.String({ maxLength: 10_000 })),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: FILTERS_MAX,
          description: "Properties that a request must have, all of them; without a value any value will do.",
        },
      ),
    ),
    sample_rate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: "Percent of the requests; default: 100." }),
    ),
    fields: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 0,
        maxItems: 100,
        description: "Fields of the record that are sent beside request_id, properties and signed_body_url.",
      }),
    ),
    include_body: Type.Optional(
      Type.Boolean({ description: "Sends the bodies too, unless they are long; signed_body_url is always sent." }),
    ),
    secret: Type.Optional(
      Type.String({ description: "Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none." }),
    ),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** As received. */
export type WebhookBody = Static<typeof WEBHOOK_SCHEMA>;

/** Validated and complete; a missing secret is generated. */
export type WebhookRule = Required<Omit<WebhookBody, "secret">> & { readonly secret?: string };

/** @throws GatewayError `invalid_body` that names the wrong field of a body with the right shape. */
export function readWebhookRule(body: WebhookBody, refuseUrl: ChannelChecks["refuseUrl"]): WebhookRule {
  checkUrl(body.url, "url", refuseUrl);
  if (body.secret !== undefined) readSecret(body.secret, "secret");
  for (const [index, name] of (body.fields ?? []).entries()) {
    if (WEBHOOK_FIELDS.includes(name)) continue;
    const message = `a record has no field ${quote(name)}; ${hint(name, WEBHOOK_FIELDS)}`;
    throw new GatewayError("invalid_body", message, { path: `fields.${index}` });
  }
  for (const [index, name] of (body.events ?? []).entries()) {
    if (EVENTS.includes(name)) continue;
    throw new GatewayError("invalid_body", `there is no event ${quote(name)}; ${hint(name, EVENTS)}`, {
      path: `events.${index}`,
    });
  }
  return {
    url: body.url,
    name: body.name ?? "",
    events: [...new Set(body.events ?? [REQUEST_EVENT])],
    property_filters: body.property_filters ?? [],
    sample_rate: body.sample_rate ?? 100,
    fields: [...new Set(body.fields ?? FIELDS_DEFAULT)],
    include_body: body.include_body ?? false,
    enabled: body.enabled ?? true,
    ...(body.secret !== undefined && { secret: body.secret }),
  };
}
