import type { ExchangeInput, ExchangeReading } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin-host/contract.ts";
import type { RecordTexts } from "../../record/record-texts.ts";
import type { RequestRow } from "../../record/written-row.ts";
import type { BodyKey } from "../../spool/body-key.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { CallState } from "../../store/answers/call-states.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { StoredAsset, StoredPart } from "../../store/packs/request-content.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Labels } from "./labels.ts";

/** Everything that will be stored of one exchange. */
export interface Prepared {
  readonly exchange: Exchange;
  readonly row: RequestRow;
  readonly labels: Labels;
  /** Value or text of the bodies, for plugins: what `parts` holds as bytes. */
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly input: ExchangeInput | undefined;
  /** Its properties are to be written again even where the row has some already. */
  readonly changedByPlugins: boolean;
  parts: StoredPart[];
  texts: RecordTexts;
  assets: readonly StoredAsset[];
  readonly callStates?: readonly CallState[];
  /** As in `Storable`. */
  readonly mappingVersion?: number | undefined;
}

export interface PrepareDeps {
  readonly spool: Pick<SpoolReader, "readBack">;
  readonly readExchange: (input: ExchangeInput) => ExchangeReading;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** Mappings and prices of this deployment. */
  readonly learnt?: Learnt | undefined;
  readonly bodyBytesMax: number;
  /** The key of the run that is going on; omitted bodies of earlier runs cannot be read any more. */
  readonly bodyKey: BodyKey | undefined;
  /** A reader of bodies or a price function threw; the record is made without what it would have said. */
  readonly onReadingFailed: (error: unknown, provider: string) => void;
}
