import type { Body } from "../../bodies/body.ts";
import { headerValue } from "../../bodies/headers.ts";
import { parseJson } from "../../mapping/events/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { headersOf, type Side, type SideBytes } from "./sides.ts";

/**
 * The request that the provider got, if it is the client's JSON with some members replaced.
 *
 * @param client - the client's side, already read.
 * @returns undefined if its bytes must be read to know what they are.
 */
export function editedSide(exchange: Exchange, { bytes }: SideBytes, client: Side): Side | undefined {
  const { body } = client;
  const typeOf = (side: "request" | "provider_request") => headerValue(headersOf(exchange, side), "content-type");
  if (exchange.provider?.requestHead?.edited === undefined || body?.form !== "json" || body.sent !== body.bytes)
    return undefined;
  if (typeOf("request") !== typeOf("provider_request")) return undefined;
  return { body: new EditedJson(bytes, body.mime), truncated: client.truncated };
}

/** Its value is parsed when it is first read: most records only store the bytes. */
class EditedJson implements Body {
  readonly form = "json";
  readonly bytes: Buffer;
  readonly events = undefined;
  readonly mime: string;
  #text: string | undefined;
  #json: { readonly value: Json } | undefined;

  constructor(bytes: Buffer, mime: string) {
    this.bytes = bytes;
    this.mime = mime;
  }

  get sent(): Buffer {
    return this.bytes;
  }

  get text(): string {
    this.#text ??= this.bytes.toString("utf8");
    return this.#text;
  }

  get json(): Json {
    this.#json ??= { value: parseJson(this.text) };
    return this.#json.value;
  }
}
