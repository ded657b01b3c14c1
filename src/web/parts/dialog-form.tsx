import { type QueryKey, useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiFailure, call } from "../api.ts";
import { Trouble } from "./confirm-button.tsx";
import { Dialog } from "./dialog.tsx";

interface Save<T> {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  /** Keys of the queries that show it. Default: all queries. */
  readonly changes?: readonly QueryKey[];
  readonly onSaved?: (saved: T) => void;
}

/** Sends a form's values. */
export function useSave<T>({ method, path, changes, onSaved }: Save<T>) {
  return useMutation({
    mutationFn: async (body: unknown) => (await call<T>(method, path, { body })).data,
    meta: { changes },
    onSuccess: (saved) => onSaved?.(saved),
  });
}

/** The values of a form's fields, by name. */
export interface FieldValues {
  /** Trimmed; empty if there is no such field. */
  text(name: string): string;
  number(name: string): number;
  /** The checked values of checkboxes with one name. */
  all(name: string): readonly string[];
  /** Whether a checkbox is checked. */
  isOn(name: string): boolean;
}

/** The error for the member of the request at this path. */
export type ErrorAt = (path: string) => string | undefined;

/**
 * The error of one member of the request, without the API's name for it, because the field has its own label. A path that
 * ends in `*` matches any member whose path begins like it.
 */
export function failureAt(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiFailure) || error.path === undefined) return undefined;
  if (path.endsWith("*")) return error.path.startsWith(path.slice(0, -1)) ? error.message : undefined;
  if (error.path !== path) return undefined;
  return error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message;
}

interface DialogFormProps {
  readonly title: string;
  /** Label of the submit button. */
  readonly action: string;
  readonly work: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: (values: FieldValues, form: HTMLFormElement) => void;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: (errorAt: ErrorAt) => ReactNode;
}

/** A form in a dialog. An error is shown at its field, otherwise below all fields. */
export function DialogForm(props: DialogFormProps) {
  const { title, action, work, onSubmit, onClose, wide = false, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (work.error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [work.error]);
  let isAtField = false;
  const fields = children((path) => {
    const said = failureAt(work.error, path);
    isAtField ||= said !== undefined;
    return said;
  });
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(valuesOf(new FormData(event.currentTarget)), event.currentTarget);
        }}
      >
        {fields}
        <Trouble error={isAtField ? null : work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Reads a form by the names of its fields. */
export function valuesOf(form: FormData): FieldValues {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  return {
    text,
    number: (name) => Number(text(name)),
    all: (name) => form.getAll(name).map(String),
    isOn: (name) => form.has(name),
  };
}
