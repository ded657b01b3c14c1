import { wantedInWords } from "../checked.ts";
import type { WireSchemaName } from "../plugin-host/contract.ts";
import { formFaultOf, type Mapping, type MappingFault, placesFaultOf } from "../record/mapping-schema.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

export type {
  DeltaPlace,
  Mapping,
  MessagePlaces,
  ReadingPlaces,
  RequestPlaces,
  StreamPlaces,
  ToolCallPlaces,
  UsagePlaces,
} from "../record/mapping-schema.ts";

/** The mapping of a model, if there is one. */
export type MappingOf = (model: string) => Mapping | undefined;

/** Why a value is not a valid mapping, with the invalid member; undefined if it is valid. */
export function faultOf(value: unknown): MappingFault | undefined {
  const wrong = formFaultOf(value, wantedInWords);
  if (wrong !== undefined) return wrong;
  const { wire_schema: name } = value as Mapping;
  if (name === undefined) return placesFaultOf(value as Mapping);
  if (isWireSchema(name)) return undefined;
  return { path: "wire_schema", message: `there is no ${name}; known: ${Object.keys(WIRE_SCHEMAS).join(", ")}` };
}

export const isWireSchema = (name: string): name is WireSchemaName => Object.hasOwn(WIRE_SCHEMAS, name);
