import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { leaf } from "../filter/tree.ts";
import { logOut } from "../log-out.ts";
import { usersQuery } from "../name-queries.ts";
import { NAVIGATION } from "../navigation.ts";
import { useNamed } from "../pages/requests/use-named.ts";
import { viewsQuery } from "../pages/requests/views/views.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { applyTheme } from "../theme.ts";
import { type Entry, matching } from "./entries.ts";
import { askList, type ListAction } from "./list-actions.ts";

const LIST_ACTIONS: readonly (readonly [ListAction, string, Entry["icon"]])[] = [
  ["download", "Download requests", "download"],
  ["builder", "Filter builder", "filter"],
  ["live", "Live on or off", "play"],
  ["keys", "Keyboard shortcuts of the list", "help"],
];

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

interface PaletteProps {
  /** What was typed before the palette appeared. */
  readonly typed: RefObject<string>;
  readonly onClose: () => void;
}

/** Pages, views, actions, and the request, session or user with the typed name. */
export function Palette({ typed, onClose }: PaletteProps) {
  const [text, setText] = useState(() => typed.current);
  const [chosen, choose] = useState(0);
  // Keys pressed between the first rendering and the appearance of the field.
  useLayoutEffect(() => setText(typed.current), []);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = useEntries(text.trim());
  const active = Math.min(chosen, found.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    // A single step wraps around, a page stops at the end.
    const to = active + step;
    choose(Math.abs(step) === 1 ? (to + found.length) % found.length : Math.min(found.length - 1, Math.max(0, to)));
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        className="palette"
        onSubmit={(event) => {
          event.preventDefault();
          run(found[active]);
        }}
      >
        <input
          type="text"
          role="combobox"
          aria-label="Page, view, action, request, session or user"
          placeholder="Page, view, action, request, session or user"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            choose(0);
          }}
          onKeyDown={onKey}
        />
        <div className="palette-list" role="listbox" id={id} aria-label="Found" ref={list}>
          {found.map((entry, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles keys, as this role requires
            <div
              key={entry.id}
              id={`${id}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === active}
              onPointerMove={() => at !== active && choose(at)}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} />
              <span className="palette-label">{entry.label}</span>
              <span className="palette-group">{entry.group}</span>
            </div>
          ))}
        </div>
        <p className="unseen" role="status">
          {found.length} found
        </p>
      </form>
    </Dialog>
  );
}

/** @returns matching entries, exact names first. */
function useEntries(text: string): readonly Entry[] {
  const fixed = useFixedEntries();
  const named = useNamedEntries(text);
  const found = matching(fixed, text);
  return text === "" ? found : [...named.exact, ...found, ...named.more];
}

function useFixedEntries(): readonly Entry[] {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: views = [] } = useQuery(viewsQuery);
  const theme = (name: Parameters<typeof applyTheme>[0], label: string, icon: Entry["icon"]): Entry => ({
    ...{ id: `theme:${name}`, label: `Theme: ${label}`, group: "Action", icon, words: "appearance colors" },
    run: () => applyTheme(name),
  });
  return [
    ...NAVIGATION.map(
      ({ to, label, icon }): Entry => ({
        ...{ id: to, label, group: "Page", icon, run: () => void navigate({ to }) },
      }),
    ),
    ...views.map(
      ({ id, name, own, owner }): Entry => ({
        ...{ id, label: name, group: own ? "View" : `View of ${owner}`, icon: "star" },
        run: () => void navigate({ to: "/views/$id", params: { id } }),
      }),
    ),
    ...LIST_ACTIONS.map(
      ([action, label, icon]): Entry => ({
        ...{ id: action, label, group: "Action", icon },
        run: () => {
          askList(action);
          if (window.location.pathname !== "/requests") void navigate({ to: "/requests" });
        },
      }),
    ),
    theme("light", "light", "sun"),
    theme("dark", "dark", "moon"),
    theme("system", "as the system", "screen"),
    {
      ...{ id: "docs", label: "API reference", group: "Action", icon: "help", words: "documentation openapi" },
      run: () => window.location.assign("/docs"),
    },
    {
      ...{ id: "log-out", label: "Log out", group: "Action", icon: "leave", words: "sign out" },
      run: () => void logOut(client),
    },
  ];
}

/** Entries with exactly the typed name; and the search for its words, with users whose name contains it. */
function useNamedEntries(text: string): { readonly exact: readonly Entry[]; readonly more: readonly Entry[] } {
  const navigate = useNavigate();
  const settled = useDebounced(text);
  const named = useNamed(settled);
  const { data: users = [] } = useQuery(usersQuery(settled));
  const isOf = settled === text;
  const exact: Entry[] = [];
  if (isOf && named.request) {
    const id = text.toLowerCase();
    const run = () => void navigate({ to: "/requests/$id", params: { id } });
    exact.push({ id: "request", label: id, group: "Request", icon: "list", run });
  }
  if (isOf && named.session) {
    const run = () => void navigate({ to: "/sessions/$id", params: { id: text } });
    exact.push({ id: "session", label: text, group: "Session", icon: "flow", run });
  }
  const ofUser = (user: string): Entry => {
    const filter = leaf("user_id", { equals: user });
    const run = () => void navigate({ to: "/requests", search: { filter } });
    return { id: `user:${user}`, label: user, group: "User", icon: "people", run };
  };
  if (isOf && named.user) exact.push(ofUser(text));
  const others = isOf ? users.filter((user) => user !== text) : [];
  const search: Entry = {
    ...{ id: "search", label: `Search requests for “${text}”`, group: "Search", icon: "search" },
    run: () => void navigate({ to: "/requests", search: { q: text } }),
  };
  // Later results never move an entry that Enter may be meant for.
  return { exact, more: [search, ...others.map(ofUser)] };
}
