import type { ServiceHealth } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Badges } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { Facts, Page } from '../ui/page.tsx'
import { countChecks } from './health.ts'
import { Checks, HealthBadges } from './health-badges.tsx'

const route = getRouteApi('/services/$name')

/** The instances of a service with their checks. */
export function ServicePage() {
  const { name } = route.useParams() as { readonly name: string }
  const client = useClient()
  const instances = useLive(['service', name], (options) => client.health.watchService(name, options))
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
