import { isUnreadable } from "../../filter/address.ts";
import { questionOf, type RequestsQuestion } from "./query.ts";
import { type RequestsSearch, readRequestsSearch } from "./search.ts";

/** A position in a list: the scroll offset and the active row. */
export interface Place {
  offset: number;
  active: string | undefined;
}

let listKey = "";
let place: Place = { offset: 0, active: undefined };
let search: RequestsSearch | undefined;
let question: RequestsQuestion | undefined;

/** The last position, if it is of the same list; otherwise the top. */
export function placeOf(key: string): Place {
  if (key !== listKey) {
    // Before the first list, a request's page may have set the active row.
    place = { offset: 0, active: listKey === "" ? place.active : undefined };
    listKey = key;
  }
  return place;
}

export function rememberPlace(key: string, part: Partial<Place>): void {
  Object.assign(placeOf(key), part);
}

/** The row that the list returns to. */
export function rememberActive(id: string): void {
  place.active = id;
}

/** The query of the last list: its rows may still be cached under exactly this key. */
export function lastQuestion(): RequestsQuestion {
  const { filter, ...others } = lastSearch();
  question ??= questionOf(isUnreadable(filter) ? others : { filter, ...others });
  return question;
}

const STORED = "weir.list";

/** The list's address, to return to from one of its requests, also after a reload. */
export function lastSearch(): RequestsSearch {
  search ??= storedSearch();
  return search;
}

export function rememberSearch({ open: _open, ...latest }: RequestsSearch, latestQuestion: RequestsQuestion): void {
  search = latest;
  question = latestQuestion;
  sessionStorage.setItem(STORED, JSON.stringify(latest));
}

function storedSearch(): RequestsSearch {
  try {
    return readRequestsSearch(JSON.parse(sessionStorage.getItem(STORED) ?? "{}"));
  } catch {
    return {}; // not written by this page
  }
}
