import { BETA_HEADER } from "../../../unified/betas.ts";
import { type RequestHeaders, valuesOf } from "../../headers/headers.ts";

/** The values of the client's `anthropic-beta` lines. */
export function betasIn(headers: RequestHeaders): readonly string[] {
  const values = valuesOf(headers, BETA_HEADER);
  return values.length === 0 ? values : values.flatMap((value) => value.split(",").map((each) => each.trim()));
}
