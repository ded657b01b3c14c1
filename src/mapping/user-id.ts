import type { Json } from "../plugin-host/contract.ts";
import { filledText } from "./json.ts";

/** The end user that a request's body names: OpenAI's `user`, Anthropic's `metadata.user_id`. */
export function userIdIn(body: Json): string | undefined {
  return filledText(body?.user) ?? filledText(body?.metadata?.user_id);
}
