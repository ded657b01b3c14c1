import type { Option } from "./command.ts";

export const CONFIG_OPTION: Option = {
  type: "string",
  short: "c",
  value: "FILE",
  description: "configuration file (default: weir.toml in the working directory)",
};

export const REGION_OPTION: Option = {
  type: "string",
  value: "us|eu",
  description: "the region, if this service also has a European one (default: the first one)",
};

export const JSON_OPTION: Option = { type: "boolean", description: "JSON instead of a table" };
