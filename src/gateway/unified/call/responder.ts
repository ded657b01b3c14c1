import type { RoutingMeta } from "../../../spool/frame.ts";

/** Who gave a response, as every client that gets it sees it. Plain data: the cache stores it with the response. */
export interface Responder {
  readonly provider: string;
  readonly target: string;
  readonly isTranslated: boolean;
  readonly routing: RoutingMeta;
}
