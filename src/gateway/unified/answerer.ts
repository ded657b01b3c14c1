import type { RoutingMeta } from "../../spool/frame.ts";

/** Who gave a response, as everyone sees it who gets it. Plain: the cache keeps it beside the response. */
export interface Answerer {
  readonly provider: string;
  readonly target: string;
  readonly isTranslated: boolean;
  readonly routing: RoutingMeta;
}
