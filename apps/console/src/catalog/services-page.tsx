import type { ServiceSummary } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Badge } from '../ui/controls.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { CatalogList } from './catalog-list.tsx'
import { countsOf, isSearched, type ListSearch } from './health.ts'
import { HealthBadges } from './health-badges.tsx'

const route = getRouteApi('/services')

const COLUMNS: readonly Column<ServiceSummary>[] = [
  {
    id: 'name',
    header: 'Service',
    track: 'minmax(0, 3fr)',
    cell: ({ Name, InstanceCount, Nodes }) => (
      <span className="cell-title">
        <Link to="/services/$name" params={{ name: Name }} preload={false} className="cell-link truncate">
          {Name}
        </Link>
        <span className="cell-sub truncate">{instancesText(InstanceCount, Nodes.length)}</span>
      </span>
    ),
  },
  {
    id: 'health',
    header: 'Checks',
    track: 'minmax(0, 3fr)',
    cell: (summary) => <HealthBadges counts={countsOf(summary)} />,
  },
  {
    id: 'tags',
    header: 'Tags',
    track: 'minmax(0, 3fr)',
    priority: 'low',
    cell: ({ Tags }) => <TagList tags={Tags} />,
  },
]

function TagList({ tags }: { readonly tags: readonly string[] }) {
  return (
    <span className="links">
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  )
}

export function ServicesPage() {
  const client = useClient()
  const search = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const services = useLive(['services'], (options) => client.health.watchUiServices(options))
  const shown = (services.data ?? []).filter((summary) =>
    isSearched(search, {
      texts: [summary.Name, ...summary.Tags, ...summary.Nodes],
      counts: countsOf(summary),
    }),
  )
  return (
    <CatalogList
      title="Services"
      lead="The services in this datacenter and their health."
      icon={Boxes}
      emptyTitle="No services"
      empty="None are registered, or your token may not read them."
      query={services}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      shown={shown}
    >
      <DataTable
        label="Services"
        columns={COLUMNS}
        rows={shown}
        keyOf={({ Name, Kind }) => `${Name} ${Kind ?? ''}`}
        narrowTracks="minmax(0, 1fr) minmax(0, auto)"
      />
    </CatalogList>
  )
}

function instancesText(count: number, nodes: number): string {
  return `${count} ${count === 1 ? 'instance' : 'instances'} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
}
