import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { ApiFailure } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { searchOfView, viewsQuery } from "../requests/views/views.ts";

const route = getRouteApi("/views/$id");

/** The address of a saved view: it opens the list with the view's state. */
export function ViewPage() {
  const { id } = route.useParams();
  // Loaded again, because the view may just have been shared.
  const { data, error, isFetching, refetch } = useQuery({ ...viewsQuery, staleTime: 0 });
  const view = data?.find((each) => each.id === id);
  if (view !== undefined) return <Navigate to="/requests" search={searchOfView(view)} replace />;
  if (error !== null && !(error instanceof ApiFailure && error.status === 404))
    return (
      <Page title="View">
        <Failed error={error} onRetry={() => void refetch()} />
      </Page>
    );
  return (
    <Page title="View">
      {isFetching ? (
        <Loading />
      ) : (
        <Empty title="There is no such view">
          <p>It was deleted, or its owner does not share it.</p>
          <Link to="/requests">Go to Requests</Link>
        </Empty>
      )}
    </Page>
  );
}
