import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FORMATS, type Format, save } from "../../../download/table-file.ts";
import { Trouble } from "../../../parts/confirm-button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { formatBytes, formatCount, formatCounted } from "../../../parts/format.ts";
import type { Choices } from "../column-choice.ts";
import type { RequestsQuestion } from "../query.ts";
import { collect } from "./collect.ts";

interface DownloadDialogProps {
  readonly question: RequestsQuestion;
  readonly choices: Choices;
  /** The number of requests, if known. */
  readonly count: number | undefined;
  readonly onClose: () => void;
}

/** Downloads all requests of the list, in its order. */
export function DownloadDialog({ question, choices, count, onClose }: DownloadDialogProps) {
  const [format, setFormat] = useState<Format>("csv");
  const [includeBody, setIncludeBody] = useState(false);
  const [rows, setRows] = useState(0);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const namesOf = (prefix: string) =>
    choices.flatMap(({ id }) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []));
  const work = useMutation({
    mutationFn: async () => {
      const controller = new AbortController();
      stop.current = controller;
      setRows(0);
      const named = { properties: namesOf("property:"), scores: namesOf("score:") };
      const { signal } = controller;
      const blob = await collect({ question, format, includeBody, named, signal, onProgress: setRows });
      save(blob, "requests", format);
      return blob.size;
    },
    meta: { changes: [] },
  });
  const isStopped = work.error !== null && stop.current?.signal.aborted === true;
  return (
    <Dialog title="Download" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        <p>
          {count === undefined ? "All matching requests" : formatCounted(count, "request")}, in the order of the list.
          For millions of records use <code>weir export</code>: the builder shows the command.
        </p>
        <fieldset disabled={work.isPending}>
          <legend className="unseen">Format</legend>
          {(Object.keys(FORMATS) as Format[]).map((each) => (
            <label key={each} className="check">
              <input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />
              {FORMATS[each]}
            </label>
          ))}
          <label className="check">
            <input type="checkbox" checked={includeBody} onChange={(event) => setIncludeBody(event.target.checked)} />
            With bodies
          </label>
        </fieldset>
        {work.isPending ? (
          <progress aria-label="Records read" {...(count ? { max: count, value: Math.min(rows, count) } : {})} />
        ) : null}
        <p role="status" className="muted">
          {work.isPending
            ? `${formatCount(rows)} read`
            : isStopped
              ? "Stopped. Nothing was saved."
              : work.data === undefined
                ? ""
                : `${formatCounted(rows, "request")} saved, ${formatBytes(work.data)}`}
        </p>
        <Trouble error={isStopped ? null : work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            Download
          </button>
          <button type="button" onClick={() => (work.isPending ? stop.current?.abort() : onClose())}>
            {work.isPending ? "Stop" : "Close"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
