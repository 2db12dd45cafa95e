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

/** Which service may connect to which. */
export function IntentionsPage() {
  const client = useClient()
  const search = route.useSearch() as IntentionSearch
  const navigate = route.useNavigate()
  const intentions = useLive(['intentions'], (options) => client.intentions.watchList({}, options))
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
  const found =
    search.edit === undefined || intentions.data === undefined
      ? undefined
      : (intentions.data.find((each) => keyOf(each) === search.edit) ?? null)
  const edited = useCached(found, true) ?? undefined
  return (
    <ListPage
      title="Intentions"
      lead="Which services may connect to which. The most specific intention decides."
      query={intentions}
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
      create={{ what: 'intention', may: mayWrite !== undefined && mayWrite.size > 0 }}
      dialog={(onClose) => <IntentionForm existing={undefined} onClose={onClose} />}
    >
      <ConnectionCheck
        key={`${search.source} ${search.destination}`}
        search={search}
        onAsk={(names) => void navigate({ search: { ...search, ...names } })}
      />
      {edited && (
        <IntentionForm
          key={search.edit}
          existing={edited}
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
  {
    header: 'Connection',
    track: 'minmax(0, 5fr)',
    cell: (intention) => (
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
  },
  { header: 'Action', track: '9rem', cell: (intention) => <ActionBadge {...intention} /> },
  {
    header: 'Precedence',
    track: '7rem',
    priority: 'low',
    cell: ({ Precedence }) => <span className="nums secondary">{Precedence}</span>,
  },
  {
    header: 'Delete',
    track: '3.5rem',
    cell: (intention) => (
      <span className="cell-actions">
        {mayWrite?.has(intention.DestinationName) && (
          <IconButton label="Delete intention" onClick={() => onDelete(intention)}>
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </span>
    ),
  },
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
  const restore = ({ SourceNS, SourceName, DestinationNS, DestinationName, ...more }: Intention) => {
    const { Description, Action, Permissions, Meta } = more
    const names = serverNames(SourceNS, DestinationNS)
    client.intentions
      .create({
        ...names,
        SourceName,
        DestinationName,
        Description,
        ...(Action === undefined ? {} : { Action }),
        ...(Permissions === undefined ? {} : { Permissions }),
        ...(Meta === undefined ? {} : { Meta }),
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

/** The standard edition does not accept namespaces in a body. */
function serverNames(SourceNS: string, DestinationNS: string) {
  return SourceNS === 'default' && DestinationNS === 'default' ? {} : { SourceNS, DestinationNS }
}

interface ConnectionCheckProps {
  readonly search: IntentionSearch
  readonly onAsk: (names: { readonly source: string; readonly destination: string }) => void
}

/** Whether one service may connect to another, and which intention decides. */
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
