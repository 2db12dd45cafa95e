import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { useState } from 'react'
import { everySecond } from '../live/queries.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import '../ui/styles/insight.css'
import { checkOf, type Question, type QuestionSearch, wholeQuestion } from './question.ts'
import { AskTabs, QuestionForm } from './question-form.tsx'
import { TokenPicker } from './token-picker.tsx'
import { Verdict } from './verdict.tsx'

const route = getRouteApi('/ask')

/** May this token do that, and why? */
export function MayPage() {
  const search = route.useSearch() as QuestionSearch
  const navigate = route.useNavigate()
  const rights = useRights()
  const [token, setToken] = useState(search.token)
  const question = wholeQuestion(search)
  const ask = (right: QuestionSearch) =>
    void navigate({ search: { ...right, ...(token === undefined ? {} : { token }) } })
  return (
    <Page
      title="Ask"
      lead="What a token may do and why, and who may do something. Each answer has its own URL, which you can share."
    >
      <div className="stack" data-gap="large">
        <AskTabs search={search} />
        <Card>
          <QuestionForm key={JSON.stringify(search)} search={search} onAsk={ask}>
            {rights.aclRead && <TokenPicker label="Token" value={token} onValue={setToken} />}
          </QuestionForm>
        </Card>
        {question ? (
          <Answer question={question} />
        ) : (
          <Empty icon={Scale} title="Check a token">
            Choose a token, an access level and a resource. The answer names the rule that decides and its
            source.
          </Empty>
        )}
      </div>
    </Page>
  )
}

function Answer({ question }: { readonly question: Question }) {
  const client = useClient()
  const answer = useQuery({
    queryKey: ['may', question],
    queryFn: async ({ signal }) => {
      const [decision] = await client.authorize([checkOf(question)] as const, {
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
