import type { ServiceSummary } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { CatalogList } from './catalog-list.tsx'
import { countsOf, isSearched, type ListSearch } from './health.ts'
import { HealthBadges } from './health-badges.tsx'

const route = getRouteApi('/services')

const COLUMNS: readonly Column<ServiceSummary>[] = [
  {
    id: 'name',
    header: texts.catalog.service,
    track: 'minmax(0, 3fr)',
    cell: ({ Name, InstanceCount, Nodes }) => (
      <span className="cell-title">
        <Link to="/services/$name" params={{ name: Name }} preload={false} className="cell-link truncate">
          {Name}
        </Link>
        <span className="cell-sub truncate">{texts.catalog.instances(InstanceCount, Nodes.length)}</span>
      </span>
    ),
  },
  {
    id: 'health',
    header: texts.catalog.checks,
    track: 'minmax(0, 3fr)',
    cell: (summary) => <HealthBadges counts={countsOf(summary)} />,
  },
  {
    id: 'tags',
    header: texts.catalog.tags,
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
      title={texts.catalog.services}
      lead={texts.catalog.servicesLead}
      icon={Boxes}
      emptyTitle={texts.catalog.noServicesTitle}
      empty={texts.catalog.noServices}
      query={services}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      shown={shown}
    >
      <DataTable
        label={texts.catalog.services}
        columns={COLUMNS}
        rows={shown}
        keyOf={({ Name, Kind }) => `${Name} ${Kind ?? ''}`}
        narrowTracks="minmax(0, 1fr) minmax(0, auto)"
      />
    </CatalogList>
  )
}
