import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { keysOf } from "../../engine/record-source.ts";
import { maskBody } from "../../record/mask-body.ts";
import { type RequestRow, toRecordFields } from "../../record/request-record.ts";
import { contentType, plainBodyTexts } from "../../store/bodies/body-text.ts";
import { addressSigner } from "../../store/signed-address.ts";
import type { Store } from "../../store/store.ts";
import type { StoredSecret } from "../../store/stored-secret.ts";
import { REQUEST_EVENT } from "../../store/webhooks/webhook-rule.ts";
import type { Webhook } from "../../store/webhooks/webhooks.ts";

/** Maximum total size of both bodies of a request in a payload; larger bodies must be fetched. */
const BODY_BYTES_MAX = 256 * 1024;

interface PayloadDeps {
  readonly config: Config;
  readonly reader: Store;
  readonly secret: StoredSecret;
  /** The API's address for clients, without a trailing slash. */
  readonly origin: () => string;
}

/**
 * The webhook payloads of requests, as JSON text by request id; a request whose record is gone is missing.
 *
 * A payload is created when it is sent, so it includes later changes of the record through the API.
 */
export async function requestPayloads(
  { config, reader, secret, origin }: PayloadDeps,
  webhook: Webhook,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await engineReader(reader, config).source.records(webhook.organization_id, keysOf(requestIds));
  const sign = await addressSigner(config, secret, origin());
  const texts = new Map<string, string>();
  for (const row of rows) {
    const path = `/v1/request/${row.request_id}/body`;
    const fields = toRecordFields(row, { signedBodyUrl: sign(path), assetUrls: {} });
    const chosen = webhook.fields.map((name) => [name, fields[name as keyof typeof fields]]);
    const text = JSON.stringify({
      type: REQUEST_EVENT,
      timestamp: fields.response_created_at ?? fields.updated_at,
      webhook_id: webhook.id,
      request_id: fields.request_id,
      properties: fields.properties,
      ...Object.fromEntries(chosen),
      signed_body_url: fields.signed_body_url,
    });
    texts.set(
      row.request_id,
      webhook.include_body ? await withBodies(text, row, reader, config.mask_webhook_bodies === "yes") : text,
    );
  }
  return texts;
}

/** JSON bodies are sent unchanged, except for masked credentials. */
async function withBodies(text: string, row: RequestRow, { content }: Store, isMasked: boolean): Promise<string> {
  if (row.size_bytes <= BODY_BYTES_MAX) {
    const found = await content.get([row.request_id], ["request", "response", "headers"]);
    const parts = found.get(row.request_id) ?? {};
    const plain = plainBodyTexts(parts);
    const request = isMasked ? maskBody(plain.request, contentType(parts, "request")) : plain.request;
    const response = isMasked ? maskBody(plain.response, contentType(parts, "response")) : plain.response;
    if (request.length + response.length <= BODY_BYTES_MAX) {
      return `${text.slice(0, -1)},"request_body":${request},"response_body":${response},"bodies_left_out":false}`;
    }
  }
  return `${text.slice(0, -1)},"request_body":null,"response_body":null,"bodies_left_out":true}`;
}
