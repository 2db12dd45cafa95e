import type { TokenReference } from '@latchkey/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { UsersRound, UserX } from 'lucide-react'
import { useRefetchOn } from '../live/use-live.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import '../ui/styles/insight.css'
import { checkOf, type Question, type QuestionSearch, wholeQuestion } from './question.ts'
import { AskTabs, QuestionForm } from './question-form.tsx'

const route = getRouteApi('/ask/who')

/**
 * The answer also depends on the defaults of namespaces (extended edition), which change seldom: following a fourth list would
 * take up one more of the browser's six connections.
 */
const NAMESPACES_AGAIN_MS = serverFacts.edition === 'extended' ? 10_000 : false

/** Who can do that? */
export function WhoPage() {
  const search = route.useSearch() as QuestionSearch
  const navigate = route.useNavigate()
  const question = wholeQuestion(search)
  return (
    <Page
      title="Ask"
      lead="What a token may do and why, and who may do something. Each answer has its own URL, which you can share."
    >
      <div className="stack" data-gap="large">
        <AskTabs search={search} />
        <Card>
          <QuestionForm
            key={JSON.stringify(search)}
            search={search}
            onAsk={(right) => void navigate({ search: right })}
          />
        </Card>
        {question ? (
          <Answer question={question} />
        ) : (
          <Empty icon={UsersRound} title="Find out who may do something">
            Choose an access level and a resource. The answer lists every token that has this access.
          </Empty>
        )}
      </div>
    </Page>
  )
}

function Answer({ question }: { readonly question: Question }) {
  const client = useClient()
  const key = ['who', question]
  const answer = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.whoCan(checkOf(question), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error ? false : NAMESPACES_AGAIN_MS),
  })
  useRefetchOn(key, (options) => client.withMeta().tokens.list({}, options))
  useRefetchOn(key, ({ limit: _, ...options }) => client.withMeta().policies.list(options))
  useRefetchOn(key, ({ limit: _, ...options }) => client.withMeta().roles.list({}, options))
  if (answer.error) return <Problem error={answer.error} onRetry={answer.refetch} />
  if (!answer.data) return <Skeleton lines={6} />
  if (answer.data.length === 0) {
    return (
      <Empty icon={UserX} title="No token may do this">
        Add the right to a policy, or create a token that has it.
      </Empty>
    )
  }
  return (
    <section className="card" aria-label="Tokens that may do this">
      <div className="toolbar">
        <h2 className="toolbar-title">
          {answer.data.length === 1
            ? 'One token may'
            : `${answer.data.length.toLocaleString('en')} tokens may`}
        </h2>
      </div>
      <DataTable
        label="Tokens that may do this"
        columns={columnsOf(question)}
        rows={answer.data}
        keyOf={keyOf}
        narrowTracks="minmax(0, 1fr) auto"
      />
    </section>
  )
}

const keyOf = ({ AccessorID }: TokenReference) => AccessorID

const columnsOf = (question: Question): readonly Column<TokenReference>[] => [
  {
    header: 'Token',
    track: 'minmax(0, 1fr)',
    cell: ({ AccessorID, Description }) => (
      <span className="cell-title">
        <Link
          to="/tokens/$accessorId"
          params={{ accessorId: AccessorID }}
          preload={false}
          className="cell-link truncate"
        >
          {Description || 'No description'}
        </Link>
        <span className="cell-sub mono truncate">{AccessorID}</span>
      </span>
    ),
  },
  {
    header: 'Why',
    track: '6rem',
    cell: ({ AccessorID }) => (
      <Link to="/ask" search={{ ...question, token: AccessorID }} className="cell-actions small">
        Explain
      </Link>
    ),
  },
]
