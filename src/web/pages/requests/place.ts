/** Where somebody was in a list: how far down, and in which row. */
export interface Place {
  offset: number;
  active: string | undefined;
}

let listKey = "";
let place: Place = { offset: 0, active: undefined };
let search: Readonly<Record<string, unknown>> = {};

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

/** The list's address, to go back to from one of its requests. */
export function lastSearch(): Readonly<Record<string, unknown>> {
  return search;
}

export function rememberSearch(latest: Readonly<Record<string, unknown>>): void {
  search = latest;
}
