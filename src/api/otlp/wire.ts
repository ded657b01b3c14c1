import { GatewayError } from "../../errors.ts";

/** A field of a protobuf message: 64-bit numbers as bigint, strings and messages as bytes. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

const VARINT_BYTES_MAX = 10;

/**
 * The fields of a protobuf message in order, by the wire format of protobuf.dev/programming-guides/encoding.
 *
 * @throws GatewayError `invalid_body` if the bytes are not a message.
 */
export function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let count = 0; count < VARINT_BYTES_MAX; count++) {
      const byte = bytes[at++];
      if (byte === undefined) throw noMessage();
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw noMessage();
  };
  const take = (length: number): Buffer => {
    if (length > bytes.byteLength - at) throw noMessage();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.byteLength) {
    const tag = Number(varint());
    const number = tag >>> 3;
    if (number === 0) throw noMessage();
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8).readBigUInt64LE() };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: BigInt(take(4).readUInt32LE()) };
        break;
      default:
        throw noMessage();
    }
  }
}

/** A length-delimited field, as protobuf writes it. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varintOf((number << 3) | 2), varintOf(bytes.byteLength), bytes]);
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varintOf(number << 3), varintOf(value)]);
}

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function noMessage(): GatewayError {
  return new GatewayError("invalid_body", "the body is not a protobuf message of OTLP");
}
