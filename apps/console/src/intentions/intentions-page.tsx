import type { Intention } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight, Share2, Trash2 } from 'lucide-react'
import { useKept } from '../live/use-kept.ts'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useAllowed } from '../session/use-rights.ts'
import { Badge, IconButton } from '../ui/controls.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import { ListPage, useChangeSearch } from '../ui/table/list-page.tsx'
import '../ui/styles/insight.css'
import { ConnectionCheck } from './connection-check.tsx'
import { IntentionForm } from './intention-form.tsx'
import { destinationOf, type IntentionSearch, keyOf, sourceOf } from './intention-search.ts'
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
  const change = useChangeSearch()
  const found =
    search.edit === undefined || intentions.data === undefined
      ? undefined
      : (intentions.data.find((each) => keyOf(each) === search.edit) ?? null)
  const edited = useKept(found, true) ?? undefined
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
  {
    header: 'Action',
    track: '9rem',
    cell: (intention) => <ActionBadge {...intention} />,
  },
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
