import { lazy, Suspense, useState } from "react";
import { Menu } from "../../../parts/menu.tsx";
import type { ListState } from "./list-state.ts";
import { isChanged, type View } from "./views.ts";

const code = () => import("./views-list.tsx");
const ViewsList = lazy(async () => ({ default: (await code()).ViewsList }));
const EditView = lazy(async () => ({ default: (await code()).EditView }));

/** Saved views: states of the list, under names. */
export function ViewsMenu(state: ListState) {
  const { view, search, columns } = state;
  const [edited, edit] = useState<View>();
  const mark = view !== undefined && isChanged(view, search, columns) ? " (changed)" : "";
  return (
    <>
      <Menu label={view === undefined ? "Views" : `${view.name}${mark}`} icon="star">
        {(close) => (
          <Suspense fallback={<p className="menu-note">Loading</p>}>
            <ViewsList
              {...state}
              onEdit={(wanted) => {
                close();
                edit(wanted);
              }}
              onDone={close}
            />
          </Suspense>
        )}
      </Menu>
      {edited === undefined ? null : (
        <Suspense fallback={null}>
          <EditView view={edited} onClose={() => edit(undefined)} />
        </Suspense>
      )}
    </>
  );
}
