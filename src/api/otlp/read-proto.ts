import {
  ATTRIBUTES_MAX,
  type Attributes,
  DEPTH_MAX,
  EVENTS_MAX,
  type ReadSpans,
  type SpanEvent,
  SpanList,
  type Value,
} from "./span.ts";
import { fieldsOf, type WireField } from "./wire.ts";

/** Parses an export request in protobuf: opentelemetry/proto/collector/trace/v1/trace_service.proto. @throws GatewayError `invalid_body`. */
export function readProtoSpans(bytes: Buffer): ReadSpans {
  const list = new SpanList();
  for (const resourceSpans of messages(bytes, 1)) {
    const resource = attributesOf(messages(resourceSpans, 1).flatMap((message) => messages(message, 1)));
    for (const scopeSpans of messages(resourceSpans, 2)) {
      for (const span of messages(scopeSpans, 2)) list.add(spanOf(span, resource));
    }
  }
  return list.read();
}

function messages(bytes: Buffer, number: number): Buffer[] {
  const found: Buffer[] = [];
  for (const field of fieldsOf(bytes))
    if (field.number === number && Buffer.isBuffer(field.value)) found.push(field.value);
  return found;
}

function spanOf(bytes: Buffer, resource: Attributes) {
  const one = new Map<number, WireField["value"]>();
  const attributes: Buffer[] = [];
  const events: Buffer[] = [];
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 9 && Buffer.isBuffer(value)) attributes.push(value);
    else if (number === 11 && Buffer.isBuffer(value)) events.push(value);
    else one.set(number, value);
  }
  const status = new Map<number, WireField["value"]>();
  const statusBytes = one.get(15);
  if (Buffer.isBuffer(statusBytes)) for (const { number, value } of fieldsOf(statusBytes)) status.set(number, value);
  return {
    ...{ traceId: hexOf(one.get(1)), spanId: hexOf(one.get(2)), parentSpanId: hexOf(one.get(4)) },
    name: textOf(one.get(5)),
    startedAt: milliseconds(one.get(7)),
    endedAt: milliseconds(one.get(8)),
    attributes: attributesOf(attributes),
    events: events.slice(0, EVENTS_MAX).map(eventOf),
    failed: status.get(3) === 2n,
    statusMessage: textOf(status.get(2)),
    resource,
  };
}

function eventOf(bytes: Buffer): SpanEvent {
  return { name: messages(bytes, 2).map(textOf).at(-1) ?? "", attributes: attributesOf(messages(bytes, 3)) };
}

function attributesOf(pairs: readonly Buffer[]): Attributes {
  return new Map(
    pairs
      .slice(0, ATTRIBUTES_MAX)
      .map((pair) => pairOf(pair, 0))
      .filter(([key]) => key !== ""),
  );
}

function pairOf(bytes: Buffer, depth: number): [string, Value] {
  let key = "";
  let value: Value = null;
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) key = textOf(field.value);
    else if (field.number === 2 && Buffer.isBuffer(field.value)) value = plainValue(field.value, depth);
  }
  return [key, value];
}

function plainValue(bytes: Buffer, depth: number): Value {
  if (depth > DEPTH_MAX) return null;
  let result: Value = null;
  for (const { number, value } of fieldsOf(bytes)) {
    if (typeof value === "bigint") {
      if (number === 2) result = value !== 0n;
      else if (number === 3) result = Number(BigInt.asIntN(64, value));
      else if (number === 4) result = doubleOf(value);
    } else if (number === 1) result = textOf(value);
    else if (number === 5) result = messages(value, 1).map((each) => plainValue(each, depth + 1));
    else if (number === 6) result = Object.fromEntries(messages(value, 1).map((each) => pairOf(each, depth + 1)));
    else if (number === 7) result = value.toString("base64");
  }
  return result;
}

function doubleOf(bits: bigint): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return bytes.readDoubleLE();
}

const hexOf = (value: WireField["value"] | undefined) => (Buffer.isBuffer(value) ? value.toString("hex") : "");
const textOf = (value: WireField["value"] | undefined) => (Buffer.isBuffer(value) ? value.toString("utf8") : "");

/** Truncated to microseconds. */
function milliseconds(nanoseconds: WireField["value"] | undefined): number {
  return typeof nanoseconds === "bigint" ? Number(nanoseconds / 1_000n) / 1_000 : Number.NaN;
}
