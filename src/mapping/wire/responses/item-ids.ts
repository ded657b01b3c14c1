/** Item types with generated ids, and the prefixes of the ids. */
export const ITEM_IDS = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  image_generation_call: "ig_",
} as const;

const RESPONSE = "resp_";

/**
 * The id of an item in a response that Weir wrote. It contains the response's id, so that a reference leads to the record.
 */
export const itemId = (type: keyof typeof ITEM_IDS, responseId: string, index: number): string =>
  ITEM_IDS[type] + responseId.replace(RESPONSE, "") + index.toString(16).padStart(2, "0");

/** The response that contains the item with this id; undefined if the id is a provider's. */
export function responseIdOf(id: string): string | undefined {
  const hex = /^(?:msg|rs|fc|ctc|ig)_([0-9a-f]{32})[0-9a-f]{2,4}$/.exec(id)?.[1];
  return hex === undefined ? undefined : RESPONSE + hex;
}
