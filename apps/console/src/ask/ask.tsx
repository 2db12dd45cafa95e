import '../ui/styles/insight.css'
import type { TokenReference } from '@latchkey/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Scale, UsersRound, UserX } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { everySecond } from '../live/queries.ts'
import { useRefetchOn } from '../live/use-live.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { TokenCell } from '../tokens/token-cell.tsx'
import { Button } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { SelectField, TextField } from '../ui/form/field.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import * as questions from './question.ts'
import { TokenPicker } from './token-picker.tsx'
import { Verdict } from './verdict.tsx'

export function MayPage() {
  const search = useSearch({ strict: false }) as questions.QuestionSearch
  const rights = useRights()
  const [token, setToken] = useState(search.token)
  const picker = rights.aclRead && <TokenPicker label="Token" value={token} onValue={setToken} />
  return (
    <AskPage
      more={token === undefined ? {} : { token }}
      fields={picker}
      answer={(question) => <Answer question={question} />}
    >
      <Empty icon={Scale} title="Check a token">
        Choose a token, an access level and a resource. The answer names the rule that decides and its source.
      </Empty>
    </AskPage>
  )
}

export function WhoPage() {
  return (
    <AskPage answer={(question) => <WhoAnswer question={question} />}>
      <Empty icon={UsersRound} title="Find out who may do something">
        Choose an access level and a resource. The answer lists every token that has this access.
      </Empty>
    </AskPage>
  )
}

interface AskPageProps {
  readonly more?: questions.QuestionSearch
  readonly fields?: ReactNode
  readonly answer: (question: questions.Question) => ReactNode
  readonly children: ReactNode
}

function AskPage({ more, fields, answer, children }: AskPageProps) {
  const search = useSearch({ strict: false }) as questions.QuestionSearch
  const navigate = useNavigate()
  const question = questions.wholeQuestion(search)
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
            onAsk={(right) => void navigate({ to: '.', search: { ...right, ...more } })}
          >
            {fields}
          </QuestionForm>
        </Card>
        {question ? answer(question) : children}
      </div>
    </Page>
  )
}

function Answer({ question }: { readonly question: questions.Question }) {
  const client = useClient()
  const answer = useQuery({
    queryKey: ['may', question],
    queryFn: async ({ signal }) => {
      const [decision] = await client.authorize([questions.checkOf(question)] as const, {
        explain: true,
        accessor: question.token,
        signal,
      })
      return decision
    },
    // A decision depends on tokens, roles, policies and namespaces at once, so it is re-read, not followed.
    refetchInterval: everySecond,
  })
  if (answer.error) return <Problem error={answer.error} onRetry={answer.refetch} />
  if (!answer.data) return <Skeleton lines={3} />
  return <Verdict question={question} answer={answer.data} />
}

/** Defaults of namespaces change seldom: to follow them too would take one more of the six connections of a browser. */
const NAMESPACES_AGAIN_MS = serverFacts.edition === 'extended' ? 10_000 : false

function WhoAnswer({ question }: { readonly question: questions.Question }) {
  const client = useClient()
  const key = ['who', question]
  const answer = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.whoCan(questions.checkOf(question), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error ? false : NAMESPACES_AGAIN_MS),
  })
  useRefetchOn(key, (client, options) => client.tokens.list({}, { ...options, limit: 1 }))
  useRefetchOn(key, (client, options) => client.policies.list(options))
  useRefetchOn(key, (client, options) => client.roles.list({}, options))
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
        keyOf={({ AccessorID }) => AccessorID}
        narrowTracks="minmax(0, 1fr) auto"
      />
    </section>
  )
}

const columnsOf = (question: questions.Question): readonly Column<TokenReference>[] => [
  ['Token', 'minmax(0, 1fr)', (token) => <TokenCell {...token} />],
  [
    'Why',
    '6rem',
    ({ AccessorID }) => (
      <Link to="/ask" search={{ ...question, token: AccessorID }} className="cell-actions small">
        Explain
      </Link>
    ),
  ],
]

interface QuestionFormProps {
  readonly search: questions.QuestionSearch
  readonly onAsk: (question: questions.QuestionSearch) => void
  readonly children?: ReactNode
}

function QuestionForm({ search, onAsk, children }: QuestionFormProps) {
  const [kind, setKind] = useState<questions.Kind>(search.kind ?? 'key')
  const [access, setAccess] = useState<questions.Access>(search.access ?? 'read')
  const [segment, setSegment] = useState(search.segment ?? '')
  const [isMissing, setMissing] = useState(false)
  const { isNamed, accesses, label = 'Name' } = questions.resourceOf(kind)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(isNamed && segment === '')
    if (isNamed && segment === '') return
    onAsk({ kind, access, ...(isNamed ? { segment } : {}) })
  }
  const chooseKind = (value: string) => {
    setKind(value as questions.Kind)
    setMissing(false)
    if (!questions.resourceOf(value as questions.Kind).accesses.includes(access)) setAccess('read')
  }
  return (
    <form className="question" onSubmit={submit} noValidate>
      {children}
      <SelectField
        label="Access"
        value={access}
        options={accesses.map((each) => [each, questions.ACCESS_NAMES[each]] as const)}
        onValue={(value) => setAccess(value as questions.Access)}
      />
      <SelectField
        label="Resource"
        value={kind}
        options={questions.KINDS.map((each) => [each, questions.resourceOf(each).name] as const)}
        onValue={chooseKind}
      />
      {isNamed && (
        <TextField
          label={label}
          value={segment}
          onValue={setSegment}
          className="input mono"
          error={isMissing ? 'Enter a name.' : undefined}
        />
      )}
      <Button type="submit" look="primary">
        Ask
      </Button>
    </form>
  )
}

/** Both kinds of question; switching keeps the right in question. */
function AskTabs({ search: { token: _token, ...right } }: { readonly search: questions.QuestionSearch }) {
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
