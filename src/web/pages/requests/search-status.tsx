import { Link } from "@tanstack/react-router";
import { type FilterTree, leaf } from "../../filter/tree.ts";
import { formatCount, formatTime } from "../../parts/format.ts";
import { useNamed } from "./use-named.ts";

interface SearchStatusProps {
  readonly found: number;
  /** Undefined before the first response, null at the end. */
  readonly searchedTo: string | null | undefined;
  readonly isSearching: boolean;
  readonly isStopped: boolean;
  readonly onStop: () => void;
  readonly onGoOn: () => void;
}

/** The progress of a search, with a stop button. */
export function SearchStatus({ found, searchedTo, isSearching, isStopped, onStop, onGoOn }: SearchStatusProps) {
  const hits = `${formatCount(found)} found`;
  return (
    <p className="search-status" role="status">
      {searchedTo === null ? `${hits}, searched to the end` : hits}
      {searchedTo ? `, searched back to ${formatTime(searchedTo)}` : ""}
      {isSearching ? (
        <>
          {" … "}
          <button type="button" className="small" onClick={onStop}>
            Stop
          </button>
        </>
      ) : null}
      {isStopped ? (
        <button type="button" className="small" onClick={onGoOn}>
          Continue
        </button>
      ) : null}
    </p>
  );
}

interface NamedProps {
  readonly text: string;
  readonly onFilter: (filter: FilterTree) => void;
}

/** The user, session or request whose name equals the search text. */
export function Named({ text, onFilter }: NamedProps) {
  const { user, session, request } = useNamed(text);
  if (!user && !session && !request) return null;
  return (
    <p className="search-named">
      {user ? (
        <button type="button" className="small" onClick={() => onFilter(leaf("user_id", { equals: text }))}>
          Requests of user {text}
        </button>
      ) : null}
      {session ? (
        <Link to="/sessions/$id" params={{ id: text }}>
          Session {text}
        </Link>
      ) : null}
      {request ? (
        <Link to="/requests/$id" params={{ id: text.toLowerCase() }}>
          Request {text.toLowerCase()}
        </Link>
      ) : null}
    </p>
  );
}
