import { type ReactNode, useEffect } from "react";

interface PageProps {
  readonly title: string;
  /** Under the title: a description in one line. */
  readonly about?: ReactNode;
  /** Controls beside the title. */
  readonly actions?: ReactNode;
  /** The page fills the window and scrolls inside. */
  readonly filled?: boolean;
  readonly children: ReactNode;
}

/** A page: its heading, its controls, its content. Sets the window's title. */
export function Page({ title, about, actions, filled = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <div className={filled ? "page page-filled" : "page"}>
      <header className="page-head">
        <div className="page-titles">
          <h1 title={title.length > 60 ? title : undefined}>{title}</h1>
          {about === undefined ? null : <p className="page-about">{about}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
