import type { ExchangeInput, ExchangeReading } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin-host/contract.ts";
import type { Excerpts } from "../../record/excerpt.ts";
import type { RecordTexts } from "../../record/record-texts.ts";
import type { RequestRow } from "../../record/written-row.ts";
import type { BodyKey } from "../../spool/body-key.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { CallState } from "../../store/earlier-responses/call-states.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { StoredAsset, StoredPart } from "../../store/packs/request-content.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Labels } from "./labels.ts";

/** Everything that will be stored of one exchange. */
export interface Prepared {
  readonly exchange: Exchange;
  readonly row: RequestRow;
  readonly labels: Labels;
  /** The bodies' JSON values or texts, for plugins: `parts` holds the same as bytes. */
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly input: ExchangeInput | undefined;
  /** Its properties must be written again, even if the row already has some. */
  readonly changedByPlugins: boolean;
  parts: StoredPart[];
  texts: RecordTexts;
  assets: readonly StoredAsset[];
  /** As in `Storable`. */
  readonly excerpts?: Excerpts | undefined;
  readonly callStates?: readonly CallState[];
  /** As in `Storable`. */
  readonly mappingVersion?: number | undefined;
}

export interface PrepareDeps {
  readonly spool: Pick<SpoolReader, "readBack">;
  readonly readExchange: (input: ExchangeInput) => ExchangeReading;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** This deployment's mappings and prices. */
  readonly learnt?: Learnt | undefined;
  readonly bodyBytesMax: number;
  /** The key of the current run; omitted bodies of earlier runs can no longer be read. */
  readonly bodyKey: BodyKey | undefined;
  /** A body reader or price function threw; the record is made without its result. */
  readonly onReadingFailed: (error: unknown, provider: string) => void;
}
