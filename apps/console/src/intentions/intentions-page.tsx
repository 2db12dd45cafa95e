import type { Intention } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight, Plus, Share2, Trash2 } from 'lucide-react'
import { useKept } from '../live/use-kept.ts'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useAllowed } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { SearchBox } from '../ui/table/record-list.tsx'
import '../ui/styles/insight.css'
import { ConnectionCheck } from './connection-check.tsx'
import { IntentionForm } from './intention-form.tsx'
import { destinationOf, type IntentionSearch, isSearched, keyOf, sourceOf } from './intention-search.ts'
import { useDeleteIntention } from './use-delete-intention.ts'

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
  const change = (part: IntentionSearch) => void navigate({ search: { ...search, ...part }, replace: true })
  const shown = (intentions.data ?? []).filter((each) => isSearched(each, search.q))
  const found =
    search.edit === undefined || intentions.data === undefined
      ? undefined
      : (intentions.data.find((each) => keyOf(each) === search.edit) ?? null)
  const edited = useKept(found, true) ?? undefined
  const close = () => change({ create: undefined, edit: undefined })
  return (
    <Page
      title="Intentions"
      lead="Which services may connect to which. The most specific intention decides."
      actions={
        mayWrite &&
        mayWrite.size > 0 && (
          <Button look="primary" onClick={() => change({ create: true })}>
            <Plus aria-hidden />
            Create intention
          </Button>
        )
      }
    >
      <div className="stack" data-gap="large">
        <ConnectionCheck
          key={`${search.source} ${search.destination}`}
          search={search}
          onAsk={(names) => void navigate({ search: { ...search, ...names } })}
        />
        {intentions.error && <Problem error={intentions.error} onRetry={intentions.refetch} />}
        {!intentions.error && (
          <section className="card" aria-label="Intentions">
            <div className="toolbar">
              <SearchBox
                label="Search service or description…"
                value={search.q}
                onValue={(q) => change({ q })}
              />
            </div>
            {intentions.isPending && <Skeleton lines={5} />}
            {shown.length > 0 && (
              <DataTable
                label="Intentions"
                columns={columnsOf({ search, onDelete: remove, mayWrite })}
                rows={shown}
                keyOf={keyOf}
                narrowTracks="minmax(0, 1fr) 5.5rem 3.5rem"
              />
            )}
            {intentions.data && shown.length === 0 && (
              <Empty
                icon={Share2}
                title={intentions.data.length === 0 ? 'No intentions' : 'No intention matches'}
              >
                {intentions.data.length === 0
                  ? 'There are none, or your token may not read them. If no intention matches, the default policy decides about a connection.'
                  : 'Use fewer words, or clear the filters.'}
              </Empty>
            )}
          </section>
        )}
      </div>
      {(search.create || edited) && (
        <IntentionForm key={search.edit ?? ''} existing={edited} isDeleted={found === null} onClose={close} />
      )}
    </Page>
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
    id: 'names',
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
  {
    id: 'action',
    header: 'Action',
    track: '9rem',
    cell: (intention) => <ActionBadge {...intention} />,
  },
  {
    id: 'precedence',
    header: 'Precedence',
    track: '7rem',
    priority: 'low',
    cell: ({ Precedence }) => <span className="nums secondary">{Precedence}</span>,
  },
  {
    id: 'actions',
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
