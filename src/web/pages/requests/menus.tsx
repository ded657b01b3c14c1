import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { type RequestsSearch, readRequestsSearch } from "./search.ts";

interface View {
  readonly name: string;
  readonly search: RequestsSearch;
}

const STORED = "weir.views";

function storedViews(): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored
      .filter((view) => typeof view?.name === "string" && typeof view.search === "object" && view.search !== null)
      .map(({ name, search }) => ({ name, search: readRequestsSearch(search) }));
  } catch {
    return []; // somebody else wrote there
  }
}

/** Filters, times and orders under names of one's own, kept in this browser. */
export function ViewsMenu({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate();
  const [views, setViews] = useState(storedViews);
  const store = (next: readonly View[]) => {
    localStorage.setItem(STORED, JSON.stringify(next));
    setViews(next);
  };
  return (
    <Menu label="Views" icon="star">
      {(close) => (
        <div className="menu-list">
          <p className="menu-note">
            {views.length === 0 ? "Filters, times and orders that you save are here. They" : "Views"} stay in this
            browser; to share one, copy its address.
          </p>
          {views.map((view) => (
            <div key={view.name} className="menu-row">
              <button
                type="button"
                className="menu-item"
                onClick={() => {
                  void navigate({ to: "/requests", search: view.search });
                  close();
                }}
              >
                {view.name}
              </button>
              <button
                type="button"
                className="quiet small"
                aria-label={`Delete the view ${view.name}`}
                onClick={() => store(views.filter((each) => each !== view))}
              >
                <Icon name="close" size={12} />
              </button>
            </div>
          ))}
          <form
            className="menu-form menu-save"
            onSubmit={(event) => {
              event.preventDefault();
              const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
              if (name === "") return;
              store([...views.filter((view) => view.name !== name), { name, search }]);
              close();
            }}
          >
            <input
              name="name"
              aria-label="Name of the view"
              placeholder="Name of this view"
              maxLength={60}
              autoComplete="off"
            />
            <button type="submit">Save</button>
          </form>
        </div>
      )}
    </Menu>
  );
}
