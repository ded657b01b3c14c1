import type { Body } from "../../bodies/body.ts";
import { parseJson } from "../../mapping/events/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { contentTypeOf, EditedBytes, type Side, type SideBytes } from "./sides.ts";

/**
 * The request that the provider got, if it is the client's JSON with some members replaced.
 *
 * @param client - the client's side, already read.
 * @returns undefined if its bytes must be read to know what they are.
 */
export function editedSide(exchange: Exchange, given: SideBytes, client: Side): Side | undefined {
  const { body } = client;
  if (!(given instanceof EditedBytes) || body?.form !== "json" || body.sent !== body.bytes) return undefined;
  if (contentTypeOf(exchange, "request") !== contentTypeOf(exchange, "provider_request")) return undefined;
  return { body: new EditedJson(given, body), truncated: client.truncated };
}

/** Its bytes are made and parsed when they are first read: most records only store what is new in them. */
export class EditedJson implements Body {
  readonly form = "json";
  readonly events = undefined;
  readonly mime: string;
  readonly given: EditedBytes;
  /** The client's body. */
  readonly client: Buffer;
  #text: string | undefined;
  #json: { readonly value: Json } | undefined;

  constructor(given: EditedBytes, { bytes, mime }: Pick<Body, "bytes" | "mime">) {
    this.given = given;
    this.client = bytes;
    this.mime = mime;
  }

  get bytes(): Buffer {
    return this.given.bytes;
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
