import { Link } from '@tanstack/react-router'
import { useRights } from '../session/use-rights.ts'
import { texts } from '../texts.ts'
import type { QuestionSearch } from './question.ts'

/** Both kinds of question; switching keeps the right in question. */
export function AskTabs({ search: { token: _token, ...right } }: { readonly search: QuestionSearch }) {
  const rights = useRights()
  return (
    <nav className="tabs" aria-label={texts.ask.tabs}>
      <Link to="/ask" search={right} activeOptions={{ exact: true, includeSearch: false }}>
        {texts.ask.may.tab}
      </Link>
      {rights.aclRead && (
        <Link to="/ask/who" search={right} activeOptions={{ exact: true, includeSearch: false }}>
          {texts.ask.who.tab}
        </Link>
      )}
    </nav>
  )
}
