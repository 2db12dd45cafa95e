import '../ui/styles/insight.css'
import type { Intention } from '@latchkey/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight, CircleCheck, CircleSlash, Share2, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useCached, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useAllowed } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { TextField } from '../ui/form/field.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Card } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListPage, useChangeSearch } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'
import { IntentionForm } from './intention-form.tsx'
import {
  decidingIntention,
  destinationOf,
  type IntentionSearch,
  keyOf,
  sourceOf,
} from './intention-search.ts'

const route = getRouteApi('/intentions')

export function IntentionsPage() {
  const client = useClient()
  const search = route.useSearch() as IntentionSearch
  const navigate = route.useNavigate()
  const intentions = useLive(['intentions'], (_, options) => client.intentions.watchList({}, options))
  const remove = useDeleteIntention()
  const services = useQuery({
    queryKey: ['service-names'],
    queryFn: ({ signal }) => client.catalog.services({}, { signal }),
  })
  const mayWrite = useAllowed('intention', 'write', [
    '*',
    ...(intentions.data ?? []).map(({ DestinationName }) => DestinationName),
    ...Object.keys(services.data ?? {}),
  ])
  const change = useChangeSearch()
  const isFound = (each: Intention) => keyOf(each) === search.edit
  const found =
    intentions.data && search.edit !== undefined ? (intentions.data.find(isFound) ?? null) : undefined
  const edited = useCached(found, true) ?? undefined
  return (
    <ListPage
      title="Intentions"
      lead="Which services may connect to which. The most specific intention decides."
      queryKey={['intentions']}
      watch={(client, options) => client.intentions.watchList({}, options)}
      columns={columnsOf({ search, onDelete: remove, mayWrite })}
      keyOf={keyOf}
      textsOf={(each) => [sourceOf(each), destinationOf(each), each.Description ?? '', each.Action ?? '']}
      searchLabel="Search service or description…"
      empty={{
        icon: Share2,
        title: 'No intentions',
        text: 'There are none, or your token may not read them. If no intention matches, the default policy decides about a connection.',
      }}
      narrowTracks="minmax(0, 1fr) 5.5rem 3.5rem"
      create={{ what: 'intention', needs: mayWrite !== undefined && mayWrite.size > 0 }}
      dialog={(onClose) => <IntentionForm onClose={onClose} />}
    >
      <ConnectionCheck
        key={`${search.source} ${search.destination}`}
        search={search}
        onAsk={(names) => void navigate({ search: { ...search, ...names } })}
      />
      {edited && (
        <IntentionForm
          key={search.edit}
          record={edited}
          isDeleted={found === null}
          onClose={() => change({ edit: undefined })}
        />
      )}
    </ListPage>
  )
}

interface Actions {
  readonly search: IntentionSearch
  readonly onDelete: (intention: Intention) => void
  /** The destinations whose intentions the person may change; `undefined` until it is known. */
  readonly mayWrite: ReadonlySet<string> | undefined
}

const columnsOf = ({ search, onDelete, mayWrite }: Actions): readonly Column<Intention>[] => [
  [
    'Connection',
    'minmax(0, 5fr)',
    (intention) => (
      <span className="cell-title">
        {mayWrite?.has(intention.DestinationName) ? (
          <Link
            to="/intentions"
            search={{ ...search, edit: keyOf(intention) }}
            preload={false}
            className="connection cell-link"
          >
            <Names intention={intention} />
          </Link>
        ) : (
          <span className="connection">
            <Names intention={intention} />
          </span>
        )}
        {intention.Description !== '' && <span className="cell-sub truncate">{intention.Description}</span>}
      </span>
    ),
  ],
  ['Action', '9rem', (intention) => <ActionBadge {...intention} />],
  [
    'Precedence',
    '7rem',
    ({ Precedence }) => <span className="nums secondary">{Precedence}</span>,
    { priority: 'low' },
  ],
  [
    'Delete',
    '3.5rem',
    (intention) => (
      <span className="cell-actions">
        {mayWrite?.has(intention.DestinationName) && (
          <IconButton label="Delete intention" onClick={() => onDelete(intention)} icon={Trash2} />
        )}
      </span>
    ),
  ],
]

function Names({ intention }: { readonly intention: Intention }) {
  return (
    <>
      <span className="truncate">{shownName(sourceOf(intention))}</span>
      <ArrowRight aria-label="to" />
      <span className="truncate">{shownName(destinationOf(intention))}</span>
    </>
  )
}

function shownName(name: string): string {
  return name === '*' ? 'Every service' : name
}

/** Whether the source may connect; with permissions, that depends on the request. */
function ActionBadge({ Action }: Pick<Intention, 'Action'>) {
  if (Action === undefined) return <Badge tone="accent">By request</Badge>
  const isAllowed = Action === 'allow'
  return <Badge tone={isAllowed ? 'good' : 'danger'}>{isAllowed ? 'Allow' : 'Deny'}</Badge>
}

/** Deletes an intention at once, and offers an undo, which creates an equal one. */
function useDeleteIntention(): (intention: Intention) => void {
  const client = useClient()
  const fail = (error: unknown) => showToast({ text: messageOf(error), tone: 'danger' })
  const restore = ({ SourceNS, DestinationNS, ...intention }: Intention) => {
    const { SourceName, DestinationName, Description, Action, Permissions, Meta } = intention
    // The standard edition does not accept namespaces in a body.
    const hasNamespaces = SourceNS !== 'default' || DestinationNS !== 'default'
    client.intentions
      .create({
        ...{ SourceName, DestinationName, Description },
        ...(hasNamespaces && { SourceNS, DestinationNS }),
        ...(Action && { Action }),
        ...(Permissions && { Permissions }),
        ...(Meta && { Meta }),
      })
      .catch(fail)
  }
  return (intention) => {
    const { ID } = intention
    const names = { source: sourceOf(intention), destination: destinationOf(intention) }
    const deleted = ID === undefined ? client.intentions.deleteExact(names) : client.intentions.delete(ID)
    deleted.then(
      () =>
        showToast({
          text: `Deleted the intention from ${names.source} to ${names.destination}`,
          durationMs: 10_000,
          action: { label: 'Undo', onSelect: () => restore(intention) },
        }),
      fail,
    )
  }
}

interface ConnectionCheckProps {
  readonly search: IntentionSearch
  readonly onAsk: (names: { readonly source: string; readonly destination: string }) => void
}

function ConnectionCheck({ search, onAsk }: ConnectionCheckProps) {
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
  const { dataUpdatedAt } = useLive(['intentions'], (_, options) => client.intentions.watchList({}, options))
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
