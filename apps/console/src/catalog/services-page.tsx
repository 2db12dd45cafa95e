import type { ServiceSummary } from '@latchkey/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Badges } from '../ui/controls.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { type CatalogSearch, countsOf, worstOf } from './health.ts'
import { HealthBadges, HealthFilter } from './health-badges.tsx'

const route = getRouteApi('/services')

const COLUMNS: readonly Column<ServiceSummary>[] = [
  {
    header: 'Service',
    track: 'minmax(0, 3fr)',
    cell: ({ Name, InstanceCount, Nodes }) => (
      <TitleCell
        to="/services/$name"
        params={{ name: Name }}
        preload={false}
        title={Name}
        sub={instancesText(InstanceCount, Nodes.length)}
      />
    ),
  },
  {
    header: 'Checks',
    track: 'minmax(0, 3fr)',
    cell: (summary) => <HealthBadges counts={countsOf(summary)} />,
  },
  { header: 'Tags', track: 'minmax(0, 3fr)', priority: 'low', cell: ({ Tags }) => <Badges texts={Tags} /> },
]

export function ServicesPage() {
  const client = useClient()
  const { state } = route.useSearch() as CatalogSearch
  const services = useLive(['services'], (options) => client.health.watchUiServices(options))
  return (
    <ListPage
      title="Services"
      lead="The services in this datacenter and their health."
      query={services}
      columns={COLUMNS}
      keyOf={({ Name, Kind }) => `${Name} ${Kind ?? ''}`}
      textsOf={({ Name, Tags, Nodes }) => [Name, ...Tags, ...Nodes]}
      searchLabel="Search name, tag, node…"
      empty={{
        icon: Boxes,
        title: 'No services',
        text: 'None are registered, or your token may not read them.',
      }}
      narrowTracks="minmax(0, 1fr) minmax(0, auto)"
      filters={<HealthFilter state={state} />}
      isShown={(summary) => state === undefined || worstOf(countsOf(summary)) === state}
    />
  )
}

function instancesText(count: number, nodes: number): string {
  return `${count} ${count === 1 ? 'instance' : 'instances'} on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
}
