import { type Inputs, merged, type Readings, readBoth } from "../../bodies/readings.ts";
import { tokenColumns } from "../../bodies/token-columns.ts";
import { withEstimate } from "../../mapping/estimate.ts";
import { costOf, FREE, SET_BY_PLUGIN } from "../../mapping/prices/cost.ts";
import { type ExchangeReading, readExchange } from "../../mapping/read-exchange.ts";
import { newText, shownTexts } from "../../mapping/said.ts";
import { storedUsage } from "../../mapping/usage.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { providerOf } from "../../record/provider.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { RecordChange } from "../../threads.ts";
import { type Recorded, toInputs } from "./recorded.ts";

export interface RereadContext {
  readonly provider: (name: string) => ProviderPlugin | undefined;
  readonly learnt: Learnt;
}

/** What reading a record's bodies changes today; undefined if nothing changes. */
export async function reread(recorded: Recorded, context: RereadContext): Promise<RecordChange | undefined> {
  const { row } = recorded;
  // An omitted body was read in transit: its usage is known, and would be lost.
  if (recorded.requestBody === undefined || (recorded.responseBody === undefined && recorded.events === undefined)) {
    return undefined;
  }
  const inputs = inputsOf(recorded, context);
  const reading = await estimated(inputs, readBoth(inputs, readExchange));
  if (reading.wireSchema === undefined && row.wire_schema === null) return undefined;
  return changeOf(recorded, inputs, reading, context);
}

/** The reading of both sides, with estimated usage if the provider's stream had none. */
export async function estimated(inputs: Inputs, readings: Readings): Promise<ExchangeReading> {
  const provider = await withEstimate(inputs.provider, readings.provider);
  return merged({ client: readings.client === readings.provider ? provider : readings.client, provider });
}

export const inputsOf = (recorded: Recorded, { provider, learnt }: RereadContext): Inputs => {
  const name = providerOf(recorded.row);
  return toInputs(recorded, provider(name), learnt.mappingOf(recorded.row.organization_id, name));
};

/** The record's columns for a reading. */
export function changeOf(
  recorded: Recorded,
  { provider: input }: Inputs,
  reading: ExchangeReading,
  context: RereadContext,
): RecordChange {
  const { row } = recorded;
  const computed = costOf({
    provider: input.provider,
    models: [row.model_override, reading.responseModel, row.routed_model, reading.requestModel],
    usage: reading.usage,
    usageRaw: reading.usageRaw,
    statedCost: reading.cost,
    ownPrice: input.status < 400 ? context.learnt.priceOf(row.organization_id, providerOf(row)) : undefined,
    exchange: input,
    at: new Date(row.request_created_at),
  });
  const isHit = row.cache_reference_id !== null;
  const cost = row.cost_source === SET_BY_PLUGIN ? { cost: row.cost, source: SET_BY_PLUGIN } : isHit ? FREE : computed;
  const { error } = reading;
  const streamed = recorded.events !== undefined;
  return {
    requestId: row.request_id,
    columns: {
      ...tokenColumns(reading.usage),
      wire_schema: reading.wireSchema ?? null,
      response_model: reading.responseModel ?? null,
      model: row.model_override ?? reading.responseModel ?? row.routed_model ?? row.request_model,
      response_id: reading.id ?? row.response_id,
      finish_reason: reading.finishReason ?? null,
      ...(error && row.error_message === null && { error_message: error.message, error_code: error.type ?? null }),
      usage_estimated: reading.usageEstimated ? 1 : 0,
      usage_raw: storedUsage(reading.usageRaw),
      cost: cost.cost,
      cost_source: cost.source,
      ...shownTexts(reading.said),
    },
    texts: {
      prompt: reading.promptText ?? null,
      completion: reading.completionText ?? null,
      said: newText(reading.said),
    },
    ...(streamed && reading.responseBody !== undefined && { responseBody: JSON.stringify(reading.responseBody) }),
  };
}
