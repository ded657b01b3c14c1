import { type RequestsSearch, readRequestsSearch } from "./search.ts";

/** Where somebody was in a list: how far down, and in which row. */
export interface Place {
  offset: number;
  active: string | undefined;
}

let listKey = "";
let place: Place = { offset: 0, active: undefined };
let search: RequestsSearch | undefined;

/** The place in the list that was left last, if it is the same list; else its head. */
export function placeOf(key: string): Place {
  if (key !== listKey) {
    listKey = key;
    place = { offset: 0, active: undefined };
  }
  return place;
}

export function rememberPlace(key: string, part: Partial<Place>): void {
  Object.assign(placeOf(key), part);
}

const STORED = "weir.list";

/** The list's address, to go back to from one of its requests, also once the page was loaded again. */
export function lastSearch(): RequestsSearch {
  search ??= storedSearch();
  return search;
}

export function rememberSearch(latest: RequestsSearch): void {
  search = latest;
  sessionStorage.setItem(STORED, JSON.stringify(latest));
}

function storedSearch(): RequestsSearch {
  try {
    return readRequestsSearch(JSON.parse(sessionStorage.getItem(STORED) ?? "{}"));
  } catch {
    return {}; // somebody else wrote there
  }
}
