import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleSlash } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Card } from '../ui/page.tsx'
import { decidingIntention, destinationOf, type IntentionSearch, sourceOf } from './intention-search.ts'

interface ConnectionCheckProps {
  readonly search: IntentionSearch
  readonly onAsk: (names: { readonly source: string; readonly destination: string }) => void
}

/** Whether one service may connect to another, and which intention decides. */
export function ConnectionCheck({ search, onAsk }: ConnectionCheckProps) {
  const [source, setSource] = useState(search.source ?? '')
  const [destination, setDestination] = useState(search.destination ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (source !== '' && destination !== '') onAsk({ source, destination })
  }
  return (
    <Card title="May one service connect to another?">
      <div className="stack">
        <form className="question" onSubmit={submit}>
          <TextField label="Source" value={source} onValue={setSource} />
          <TextField label="Destination" value={destination} onValue={setDestination} />
          <Button type="submit" disabled={source === '' || destination === ''}>
            Ask
          </Button>
        </form>
        {search.source !== undefined && search.destination !== undefined && (
          <Answer source={search.source} destination={search.destination} />
        )}
      </div>
    </Card>
  )
}

function Answer({ source, destination }: { readonly source: string; readonly destination: string }) {
  const client = useClient()
  // Follows the list of the page with the same blocking query, and re-reads the answer when it changes.
  const { dataUpdatedAt } = useLive(['intentions'], (options) => client.intentions.watchList({}, options))
  const answer = useQuery({
    queryKey: ['connection', source, destination, dataUpdatedAt],
    queryFn: async ({ signal }) => {
      const [check, matches] = await Promise.all([
        client.intentions.check({ source, destination }, { signal }),
        client.intentions.match('destination', [destination], { signal }),
      ])
      return { isAllowed: check.Allowed, by: decidingIntention(matches[destination] ?? [], source) }
    },
    placeholderData: keepPreviousData,
  })
  if (answer.error) return <Problem error={answer.error} onRetry={answer.refetch} />
  if (!answer.data) return <Skeleton lines={2} />
  const { isAllowed, by } = answer.data
  const Icon = isAllowed ? CircleCheck : CircleSlash
  return (
    <div className="connection-answer" data-allow={isAllowed} role="status">
      <Icon aria-hidden />
      <div>
        <strong>
          {source} {isAllowed ? 'may' : 'may not'} connect to {destination}.
        </strong>
        <p className="small secondary">
          {by
            ? `Decided by the intention from ${sourceOf(by)} to ${destinationOf(by)}, precedence ${by.Precedence}.`
            : 'No intention applies: the default policy decided.'}
        </p>
      </div>
    </div>
  )
}
