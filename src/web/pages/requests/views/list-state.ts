import type { Choices } from "../column-choice.ts";
import type { RequestsSearch } from "../search.ts";
import type { View } from "./views.ts";

export interface ListState {
  readonly search: RequestsSearch;
  readonly columns: Choices;
  /** The open view. */
  readonly view: View | undefined;
}
