import { type QueryKey, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Trouble } from "../../../parts/confirm-button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import type { Change } from "./change-many.ts";

/** How a stepwise operation reports progress, and learns that it should stop. */
type StepReports = Pick<Change, "isStopped" | "onProgress">;

interface Steps<T> {
  readonly work: UseMutationResult<T, Error, void>;
  /** Requests that are done. */
  readonly done: number;
  /** Whether the user has stopped it. */
  readonly isStopped: () => boolean;
  readonly stop: () => void;
}

/**
 * An operation on many requests, a step at a time. It stops on request, and when its component unmounts.
 *
 * @param changes - keys of the queries that show the change. Default: all queries.
 */
export function useSteps<T>(run: (reports: StepReports) => Promise<T>, changes?: readonly QueryKey[]): Steps<T> {
  const stopped = useRef(false);
  const [done, setDone] = useState(0);
  const stop = () => {
    stopped.current = true;
  };
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const isStopped = () => stopped.current;
  const work = useMutation({
    mutationFn: () => {
      stopped.current = false;
      setDone(0);
      return run({ isStopped, onProgress: setDone });
    },
    meta: { changes },
  });
  return { work, done, isStopped, stop };
}

interface StepsDialogProps<T> {
  readonly title: string;
  readonly steps: Steps<T>;
  /** Whether it cannot be started again here. */
  readonly isOver: boolean;
  /** The button that starts it. */
  readonly action: { readonly label: string; readonly isDanger?: boolean; readonly isDisabled?: boolean };
  /** The progress bar: its name and, if known, its maximum. */
  readonly progress: { readonly label: string; readonly max?: number | undefined };
  readonly status: ReactNode;
  readonly about?: ReactNode;
  /** Fields, hidden at the end. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A dialog that collects the input, shows the progress, and can stop the operation. */
export function StepsDialog<T>({ title, steps, isOver, action, progress, ...rest }: StepsDialogProps<T>) {
  const { work, done, stop } = steps;
  const { about, children, status, onClose } = rest;
  const { label, max } = progress;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        {about}
        {isOver || children === null ? null : (
          <fieldset disabled={work.isPending} className="form">
            <legend className="unseen">{title}</legend>
            {children}
          </fieldset>
        )}
        {work.isPending ? <progress aria-label={label} {...(max ? { max, value: Math.min(done, max) } : {})} /> : null}
        <p role="status" className="muted">
          {work.isPending || isOver ? status : ""}
        </p>
        <Trouble error={work.error} />
        <div className="form-actions">
          {isOver ? null : (
            <button
              type="submit"
              className={action.isDanger === true ? "danger" : "primary"}
              disabled={work.isPending || action.isDisabled === true}
            >
              {action.label}
            </button>
          )}
          <button type="button" onClick={work.isPending ? stop : onClose}>
            {work.isPending ? "Stop" : isOver ? "Close" : "Cancel"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
