import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { bodyText, contentType, headerPairs } from "../../store/bodies/body-text.ts";
import type { BodyPart } from "../../store/packs/placed.ts";
import type { RequestBodies, StoredBody } from "../../store/packs/read.ts";
import type { Callers } from "../access/callers.ts";
import { noteBodyViews } from "../audit/body-views.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success, successText } from "../envelope.ts";
import { noSuchRequest, requestIdOf } from "../input/request-id.ts";
import { recordNamed } from "../named.ts";

const PARTS = ["request", "response", "provider_request", "provider_response"] as const;
type PartName = (typeof PARTS)[number];

const BODY_QUERY = {
  part: t.Union(
    PARTS.map((part) => t.Literal(part)),
    {
      description:
        "That part. `provider_request` is what the provider received and `provider_response` what it returned; null if that equals what the client sent and received.",
    },
  ),
  raw: t.Boolean({ description: "`true` returns the bytes of the part as they were sent, decoded." }),
};

const CLIENTS: readonly BodyPart[] = ["request", "response"];
const RAW: readonly BodyPart[] = ["raw"];

/** Parameters of a signed address. */
const SIGNED_QUERY = {
  expires: Type.Integer({ description: "Of a signed address." }),
  signature: t.String({ description: "Of a signed address." }),
};

/** Reads the bodies of a request and its response. */
export function requestBodyEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/request/:id/body",
      async ({ params, request }) => {
        const id = requestIdOf(params.id);
        const { part, raw } = readBodyQuery(request);
        await findShown(context, callers, request, id);
        const parts: BodyPart[] = [...(part === undefined ? CLIENTS : [part]), ...(raw ? RAW : []), "headers"];
        const bodies = (await context.reader.content.get([id], parts, raw ? "sent" : "shown")).get(id) ?? {};
        return raw ? rawBody(bodies, part!) : bodyJson(bodies, part);
      },
      endpoint("Requests", "Read the bodies of one request", "Both, or one part of them.", {
        query: { ...BODY_QUERY, ...SIGNED_QUERY },
        responses: { "application/json": t.Unknown(), "*/*": t.Unknown() },
      }),
    )
    .get(
      "/v1/request/:id/headers",
      async ({ params, request }) => {
        const id = requestIdOf(params.id);
        await recordNamed(context, callers.of(request).organizationId, id);
        const { headers } = (await context.reader.content.get([id], ["headers"])).get(id) ?? {};
        return success({
          request: headerPairs(headers, "request") ?? [],
          response: headerPairs(headers, "response") ?? [],
          provider_request: headerPairs(headers, "provider_request") ?? null,
          provider_response: headerPairs(headers, "provider_response") ?? null,
        });
      },
      endpoint(
        "Requests",
        "Read the headers of one request",
        "Pairs of name and value as they were sent, without credentials and cookies, which are never recorded. `provider_request` and `provider_response` are null if the provider got and sent the same ones.",
      ),
    )
    .get(
      "/v1/request/:id/assets/:asset",
      async ({ params, request }) => {
        const id = requestIdOf(params.id);
        await findShown(context, callers, request, id);
        const asset = await context.reader.content.asset(id, params.asset);
        if (asset === undefined) throw new GatewayError("not_found", "the request has no asset with this id");
        return bytesResponse(asset.content, asset.contentType);
      },
      endpoint("Requests", "Read an image, audio or file that a request shows", "", {
        query: SIGNED_QUERY,
        responses: { "*/*": t.Unknown() },
      }),
    );
}

/** The request that a signed address, or the key's organization, gives access to. */
async function findShown(context: ApiContext, callers: Callers, request: Request, id: string): Promise<RequestRow> {
  const signed = new URL(request.url).searchParams.has("signature");
  if (signed) await context.signer.verify(request);
  const organizationId = signed ? await context.engine.source.organizationOf(id) : callers.of(request).organizationId;
  if (organizationId === undefined) throw noSuchRequest();
  const row = await recordNamed(context, organizationId, id);
  // Creating the signed address was already logged.
  if (!signed) await noteBodyViews(context, request, row.organization_id, [id]);
  return row;
}

function readBodyQuery(request: Request): { part: PartName | undefined; raw: boolean } {
  const query = new URL(request.url).searchParams;
  const named = query.get("part");
  const part = PARTS.find((one) => one === named);
  const raw = query.get("raw") ?? "false";
  if (named !== null && part === undefined)
    throw new GatewayError("invalid_body", `part is one of ${PARTS.join(", ")}`, { path: "part" });
  if (raw !== "true" && raw !== "false")
    throw new GatewayError("invalid_body", "raw is true or false", { path: "raw" });
  if (raw === "true" && part === undefined) {
    throw new GatewayError("invalid_body", "raw needs a part, such as part=request", { path: "part" });
  }
  return { part, raw: raw === "true" };
}

function bodyJson(bodies: RequestBodies, part: PartName | undefined): Response {
  if (part !== undefined) return successText(bodyText(bodies, part));
  return successText(`{"request":${bodyText(bodies, "request")},"response":${bodyText(bodies, "response")}}`);
}

/** For a stream, its original text: the stored response is the object assembled from it. */
function rawBody(bodies: RequestBodies, part: PartName): Response {
  const body: StoredBody | undefined = part === "response" ? (bodies.raw ?? bodies.response) : bodies[part];
  if (body === undefined)
    throw new GatewayError(
      "not_found",
      part === "request" || part === "response"
        ? `no ${part} body is stored: it was empty, its client omitted it, or retention has removed it`
        : `no ${part} was recorded apart from the client's; read part=${part.slice("provider_".length)}`,
    );
  const byForm = body.form === "json" ? "application/json" : body.form === "text" ? "text/plain; charset=utf-8" : null;
  return bytesResponse(body.content, contentType(bodies, part) ?? body.contentType ?? byForm);
}

/** Bytes that a client or provider chose: no browser may run them on this origin, whatever their declared type. */
export function bytesResponse(bytes: Uint8Array, type: string | null): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": type !== null && /^[\x20-\x7e]+$/.test(type) ? type : "application/octet-stream",
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
}
