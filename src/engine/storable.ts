import type { Excerpts } from "../record/excerpt.ts";
import type { RecordTexts } from "../record/record-texts.ts";
import type { RequestRow } from "../record/written-row.ts";
import type { CallState } from "../store/earlier-responses/call-states.ts";
import type { StoredAsset, StoredPart } from "../store/packs/request-content.ts";

/** Names with values that a client attached to a request. */
export interface StoredLabels {
  readonly properties: Record<string, string>;
  readonly promptInputs: Record<string, string>;
  /** Names in `properties` and `promptInputs` that arrived without their original case. */
  readonly erasedProperties: ReadonlySet<string>;
  readonly erasedInputs: ReadonlySet<string>;
}

/** A record with its contents, as it is stored. */
export interface Storable {
  readonly row: RequestRow;
  readonly labels: StoredLabels;
  readonly parts: readonly StoredPart[];
  readonly texts: RecordTexts;
  readonly assets: readonly StoredAsset[];
  readonly callStates?: readonly CallState[];
  /** Version of the model's mapping when the bodies were read, 0 for none; undefined when a mapping could not read them. */
  readonly mappingVersion?: number | undefined;
  /** Input and output before they are masked, if the row does not have them. */
  readonly excerpts?: Excerpts | undefined;
}
