import { Link } from '@tanstack/react-router'
import { useRights } from '../session/use-rights.ts'
import type { QuestionSearch } from './question.ts'

/** Both kinds of question; switching keeps the right in question. */
export function AskTabs({ search: { token: _token, ...right } }: { readonly search: QuestionSearch }) {
  const rights = useRights()
  return (
    <nav className="tabs" aria-label="Questions">
      <Link to="/ask" search={right} activeOptions={{ exact: true, includeSearch: false }}>
        May it?
      </Link>
      {rights.aclRead && (
        <Link to="/ask/who" search={right} activeOptions={{ exact: true, includeSearch: false }}>
          Who may?
        </Link>
      )}
    </nav>
  )
}
