import { GatewayError } from "../../errors.ts";
import { listOf, objectOf, textOf } from "../../mapping/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import {
  ATTRIBUTES_MAX,
  type Attributes,
  DEPTH_MAX,
  EVENTS_MAX,
  type ReadSpans,
  SpanList,
  type Value,
} from "./span.ts";

/** Parses an export request in OTLP's JSON. @throws GatewayError `invalid_body`. */
export function readJsonSpans(text: string): ReadSpans {
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError("invalid_body", "the body is not JSON", { cause });
  }
  if (!Array.isArray(body?.resourceSpans))
    throw new GatewayError("invalid_body", "an export request has the list resourceSpans", { path: "resourceSpans" });
  const list = new SpanList();
  for (const { resource, scopeSpans } of listOf(body.resourceSpans).map(objectOrEmpty)) {
    const ofResource = attributesOf(objectOrEmpty(resource)["attributes"]);
    for (const { spans } of listOf(scopeSpans).map(objectOrEmpty)) {
      for (const span of listOf(spans).map(objectOrEmpty)) list.add(spanOf(span, ofResource));
    }
  }
  return list.read();
}

function spanOf(span: Json, resource: Attributes) {
  const status = objectOrEmpty(span.status);
  return {
    ...{ traceId: idOf(span.traceId), spanId: idOf(span.spanId), parentSpanId: idOf(span.parentSpanId) },
    name: textOf(span.name) ?? "",
    startedAt: milliseconds(span.startTimeUnixNano),
    endedAt: milliseconds(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: listOf(span.events)
      .slice(0, EVENTS_MAX)
      .map(objectOrEmpty)
      .map((event) => ({ name: textOf(event["name"]) ?? "", attributes: attributesOf(event["attributes"]) })),
    failed: status["code"] === 2 || status["code"] === "STATUS_CODE_ERROR",
    statusMessage: textOf(status["message"]) ?? "",
    resource,
  };
}

const idOf = (id: Json): string => (typeof id === "string" ? id.toLowerCase() : "");

const objectOrEmpty = (value: Json): Record<string, Json> => objectOf(value) ?? {};

/** Protobuf's JSON writes 64-bit integers as strings; a number is accepted as well. */
function milliseconds(nanoseconds: Json): number {
  if (typeof nanoseconds === "string" && /^\d{1,20}$/.test(nanoseconds))
    return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
  return typeof nanoseconds === "number" ? Math.round(nanoseconds / 1_000) / 1_000 : Number.NaN;
}

function attributesOf(list: Json): Attributes {
  const attributes = new Map<string, Value>();
  for (const { key, value } of listOf(list).slice(0, ATTRIBUTES_MAX).map(objectOrEmpty)) {
    if (typeof key === "string" && key !== "") attributes.set(key, plainValue(value, 0));
  }
  return attributes;
}

function plainValue(value: Json, depth: number): Value {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return null;
  if (typeof value.stringValue === "string") return value.stringValue;
  if (typeof value.boolValue === "boolean") return value.boolValue;
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.doubleValue !== undefined) return Number(value.doubleValue);
  if (value.arrayValue !== undefined)
    return listOf(value.arrayValue?.values).map((each) => plainValue(each, depth + 1));
  if (value.kvlistValue !== undefined) {
    const pairs = listOf(value.kvlistValue?.values).map(objectOrEmpty);
    return Object.fromEntries(pairs.map(({ key, value: of }) => [String(key), plainValue(of, depth + 1)]));
  }
  return typeof value.bytesValue === "string" ? value.bytesValue : null;
}
