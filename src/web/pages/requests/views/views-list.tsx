import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../../api.ts";
import { ConfirmButton, Trouble } from "../../../parts/confirm-button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { DialogForm, useSave, valuesOf } from "../../../parts/dialog-form.tsx";
import { Field } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Loading } from "../../../parts/states.tsx";
import { useMissing } from "../../../session.ts";
import type { ListState } from "./list-state.ts";
import { forgetChanges } from "./use-columns.ts";
import { browserViews, isChanged, keepBrowserViews, termsOf, type View, viewsQuery } from "./views.ts";

interface ViewsListProps extends ListState {
  readonly onEdit: (view: View) => void;
  readonly onDone: () => void;
}

/** The content of the menu: the user's own views, those of others, and saving the current list. */
export function ViewsList({ search, columns, view, onEdit, onDone }: ViewsListProps) {
  const { data: views, error } = useQuery(viewsQuery);
  const navigate = useNavigate();
  const missing = useMissing("write");
  const mayChange = useMayChange();
  const open = (saved: View) => {
    forgetChanges(saved.id);
    onDone();
    void navigate({ to: "/requests", search: (now) => ({ ...now, view: saved.id }), replace: true });
  };
  const make = useSave<View>({ method: "POST", path: "/v1/views", changes: [viewsQuery.queryKey], onSaved: open });
  const change = useSave<View>({
    ...{ method: "PATCH", path: `/v1/views/${view?.id}`, changes: [viewsQuery.queryKey], onSaved: open },
  });
  if (views === undefined) return error === null ? <Loading rows={3} /> : <Trouble error={error} />;
  const rows = (wanted: readonly View[]) =>
    wanted.map((each) => (
      <ViewRow key={each.id} view={each} isOpen={each.id === view?.id} onEdit={onEdit} onDone={onDone} />
    ));
  const [own, others] = [views.filter((each) => each.own), views.filter((each) => !each.own)];
  const isSavable = view !== undefined && mayChange(view) && isChanged(view, search, columns);
  return (
    <div className="menu-list views-menu">
      {views.length === 0 ? (
        <p className="menu-note">A view keeps filter, search, columns, order and time under a name.</p>
      ) : null}
      {own.length === 0 ? null : (
        <section aria-label="My views">
          <h2 className="menu-head">My views</h2>
          {rows(own)}
        </section>
      )}
      {others.length === 0 ? null : (
        <section aria-label="Shared views">
          <h2 className="menu-head">Shared by others</h2>
          {rows(others)}
        </section>
      )}
      <BrowserViews onDone={onDone} />
      {isSavable ? (
        <div className="menu-form">
          <button
            type="button"
            className="primary"
            disabled={change.isPending}
            onClick={() => change.mutate(termsOf(search, columns))}
          >
            Save changes to {view.name}
          </button>
          <Trouble error={change.error} />
        </div>
      ) : null}
      <form
        className="menu-form"
        aria-label="Save as a new view"
        onSubmit={(event) => {
          event.preventDefault();
          const values = valuesOf(new FormData(event.currentTarget));
          if (values.text("name") === "") return;
          make.mutate({ name: values.text("name"), shared: values.isOn("shared"), ...termsOf(search, columns) });
        }}
      >
        <div className="menu-save">
          <input
            name="name"
            aria-label="Name of the view"
            placeholder="Save as a new view"
            maxLength={100}
            autoComplete="off"
          />
          <button type="submit" disabled={make.isPending}>
            Save
          </button>
        </div>
        <label className="check" title={missing}>
          <input type="checkbox" name="shared" disabled={missing !== undefined} />
          Share with the organization
        </label>
        <Trouble error={make.error} />
      </form>
    </div>
  );
}

/** Whether the log-in may change a view: as its owner, or for a shared one as an admin. */
function useMayChange() {
  const missing = useMissing("admin");
  return ({ own }: View) => own || missing === undefined;
}

interface ViewRowProps extends Pick<ViewsListProps, "onEdit" | "onDone"> {
  readonly view: View;
  readonly isOpen: boolean;
}

function ViewRow({ view, isOpen, onEdit, onDone }: ViewRowProps) {
  const mayChange = useMayChange();
  const { id, name, own, owner, shared } = view;
  return (
    <div className="menu-row">
      <Link
        to="/views/$id"
        params={{ id }}
        className="menu-item button"
        aria-current={isOpen ? "true" : undefined}
        onClick={() => {
          forgetChanges(id);
          onDone();
        }}
      >
        <span className="menu-name">{name}</span>
        {own && !shared ? null : <span className="badge">{own ? "shared" : owner}</span>}
      </Link>
      {mayChange(view) ? (
        <button type="button" className="quiet small" aria-label={`Edit the view ${name}`} onClick={() => onEdit(view)}>
          Edit
        </button>
      ) : null}
    </div>
  );
}

/** Views that an earlier version stored in this browser: they can be opened, and moved to the service. */
function BrowserViews({ onDone }: Pick<ViewsListProps, "onDone">) {
  const [views, setViews] = useState(browserViews);
  const move = useMutation({
    mutationFn: async () => {
      for (const each of browserViews()) {
        await call("POST", "/v1/views", { body: { name: each.name, ...termsOf(each.search, []), columns: null } });
        const left = browserViews().filter(({ name }) => name !== each.name);
        keepBrowserViews(left);
        setViews(left);
      }
    },
    meta: { changes: [viewsQuery.queryKey] },
  });
  if (views.length === 0) return null;
  return (
    <section aria-label="Views of this browser">
      <h2 className="menu-head">Only in this browser</h2>
      {views.map(({ name, search }) => (
        <div key={name} className="menu-row">
          <Link to="/requests" search={search} className="menu-item button" onClick={onDone}>
            <span className="menu-name">{name}</span>
          </Link>
        </div>
      ))}
      <button type="button" className="small" disabled={move.isPending} onClick={() => move.mutate()}>
        <Icon name="up" size={12} />
        Move to my views
      </button>
      <Trouble error={move.error} />
    </section>
  );
}

/** Name, sharing, address and deletion of a view. */
export function EditView({ view, onClose }: { readonly view: View; readonly onClose: () => void }) {
  const missing = useMissing("write");
  const navigate = useNavigate();
  const address = `${window.location.origin}/views/${view.id}`;
  const save = useSave({
    ...{ method: "PATCH", path: `/v1/views/${view.id}`, changes: [viewsQuery.queryKey], onSaved: onClose },
  });
  return (
    <DialogForm
      title="Edit view"
      action="Save"
      work={save}
      onSubmit={(values) => save.mutate({ name: values.text("name"), shared: values.isOn("shared") })}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <Field label="Name" error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" defaultValue={view.name} maxLength={100} required />}
          </Field>
          <label className="check" title={missing}>
            <input
              type="checkbox"
              name="shared"
              defaultChecked={view.shared}
              disabled={missing !== undefined && !view.shared}
            />
            Share with the organization
          </label>
          <p className="field-hint">
            Owner: {view.owner}. Address: <code className="wraps">{address}</code>
          </p>
          <div className="form-actions">
            <CopyButton text={address} label="Copy the address" />
            <ConfirmButton
              scope="read"
              label="Delete"
              title="Delete view"
              action="Delete"
              danger
              run={() => call("DELETE", `/v1/views/${view.id}`)}
              changes={[viewsQuery.queryKey]}
              onDone={() => {
                onClose();
                void navigate({ to: "/requests", search: (now) => ({ ...now, view: undefined }), replace: true });
              }}
            >
              <p>
                The view {view.name} is deleted{view.shared ? ", for everybody of the organization" : ""}. Requests
                stay.
              </p>
            </ConfirmButton>
          </div>
        </>
      )}
    </DialogForm>
  );
}
