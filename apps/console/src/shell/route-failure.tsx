import { Problem } from '../ui/problem.tsx'

/** A page that failed to render or to load, such as after an upgrade of the server: reloading fetches the new one. */
export function RouteFailure({ error }: { readonly error: unknown }) {
  return (
    <div className="page" data-width="narrow">
      <Problem error={error} onRetry={() => window.location.reload()} />
    </div>
  )
}
