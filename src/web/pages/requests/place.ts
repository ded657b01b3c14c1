import { isUnreadable } from "../../filter/address.ts";
import { questionOf, type RequestsQuestion } from "./query.ts";
import { type RequestsSearch, readRequestsSearch } from "./search.ts";

/** Where somebody was in a list: how far down, and in which row. */
export interface Place {
  offset: number;
  active: string | undefined;
}

let listKey = "";
let place: Place = { offset: 0, active: undefined };
let search: RequestsSearch | undefined;
let question: RequestsQuestion | undefined;

/** The place in the list that was left last, if it is the same list; else its head. */
export function placeOf(key: string): Place {
  if (key !== listKey) {
    // Before the first list, a request's page may have said which row to go to.
    place = { offset: 0, active: listKey === "" ? place.active : undefined };
    listKey = key;
  }
  return place;
}

export function rememberPlace(key: string, part: Partial<Place>): void {
  Object.assign(placeOf(key), part);
}

/** The row that the list goes back to. */
export function rememberActive(id: string): void {
  place.active = id;
}

/** The question of the list that was left last: its rows may still be known under the very same one. */
export function lastQuestion(): RequestsQuestion {
  const { filter, ...others } = lastSearch();
  question ??= questionOf(isUnreadable(filter) ? others : { filter, ...others });
  return question;
}

const STORED = "weir.list";

/** The list's address, to go back to from one of its requests, also once the page was loaded again. */
export function lastSearch(): RequestsSearch {
  search ??= storedSearch();
  return search;
}

export function rememberSearch({ open: _open, ...latest }: RequestsSearch, asked: RequestsQuestion): void {
  search = latest;
  question = asked;
  sessionStorage.setItem(STORED, JSON.stringify(latest));
}

function storedSearch(): RequestsSearch {
  try {
    return readRequestsSearch(JSON.parse(sessionStorage.getItem(STORED) ?? "{}"));
  } catch {
    return {}; // somebody else wrote there
  }
}
