import type { ServiceHealth, ServiceSummary } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { countOf } from '../live/instants.ts'
import { useLive } from '../live/use-live.ts'
import { Badges } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { Facts, Page } from '../ui/page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { type CatalogSearch, countChecks, countsOf, worstOf } from './health.ts'
import { Checks, HealthBadges, HealthFilter } from './health-badges.tsx'

const route = getRouteApi('/services')

const COLUMNS: readonly Column<ServiceSummary>[] = [
  [
    'Service',
    'minmax(0, 3fr)',
    ({ Name, InstanceCount, Nodes }) => (
      <TitleCell
        to="/services/$name"
        params={{ name: Name }}
        title={Name}
        sub={`${countOf(InstanceCount, 'instance')} on ${countOf(Nodes.length, 'node')}`}
      />
    ),
  ],
  ['Checks', 'minmax(0, 3fr)', (summary) => <HealthBadges counts={countsOf(summary)} />],
  ['Tags', 'minmax(0, 3fr)', ({ Tags }) => <Badges texts={Tags} />, { priority: 'low' }],
]

export function ServicesPage() {
  const { state } = route.useSearch() as CatalogSearch
  return (
    <ListPage
      title="Services"
      lead="The services in this datacenter and their health."
      queryKey={['services']}
      watch={(client, options) => client.health.watchUiServices(options)}
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

const serviceRoute = getRouteApi('/services/$name')

export function ServicePage() {
  const { name } = serviceRoute.useParams() as { readonly name: string }
  const instances = useLive(['service', name], (client, options) => client.health.watchService(name, options))
  return (
    <Page
      title={name}
      parent={{ to: '/services', label: 'Services' }}
      lead={
        instances.data && <HealthBadges counts={countChecks(instances.data.flatMap((each) => each.Checks))} />
      }
      actions={
        <>
          <Link to="/intentions" search={{ q: name }} className="button">
            Who may connect?
          </Link>
          <Link to="/ask/who" search={{ kind: 'service', segment: name, access: 'write' }} className="button">
            Who may register it?
          </Link>
        </>
      }
    >
      <Loaded query={instances}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon={Boxes} title="No instances">
              The service is not registered, or your token may not read it. Instances appear here when they
              register.
            </Empty>
          ) : (
            <div className="stack">
              {found.map((instance) => (
                <Instance key={`${instance.Node.Node}/${instance.Service.ID}`} instance={instance} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

function Instance({ instance: { Node, Service, Checks: checks } }: { readonly instance: ServiceHealth }) {
  return (
    <section className="card" aria-label={Service.ID}>
      <div className="card-head">
        <h2>{Service.ID}</h2>
        <HealthBadges counts={countChecks(checks)} />
      </div>
      <div className="card-body instance">
        <Facts
          facts={[
            [
              'Node',
              <Link key="node" to="/nodes/$name" params={{ name: Node.Node }}>
                {Node.Node}
              </Link>,
            ],
            [
              'Address',
              `${Service.Address || Node.Address}${Service.Port > 0 ? `:${Service.Port}` : ''}`,
              'mono',
            ],
            ['Tags', Service.Tags.length > 0 && <Badges texts={Service.Tags} />],
          ]}
        />
        <Checks checks={checks} />
      </div>
    </section>
  )
}
