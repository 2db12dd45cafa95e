/** Reads of nodes, services and their health, and intentions. */
import type { CatalogNode, HealthCheck, Intention, ServiceHealth } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import type { Action } from '../frame/command-spec.ts'

export const listNodes: Action = async (session, input) => {
  const rows = await (await session.client()).catalog.nodes({ filter: input.text('filter') })
  await session.out.list(
    rows,
    [
      { title: 'Node', text: ({ Node }: CatalogNode) => Node },
      { title: 'Address', text: ({ Address }: CatalogNode) => Address },
      { title: 'Datacenter', text: ({ Datacenter = '' }: CatalogNode) => Datacenter },
    ],
    'No nodes that this token may read.',
  )
}

export const listServices: Action = async (session) => {
  const services = await (await session.client()).health.uiServices()
  await session.out.list(
    services,
    [
      { title: 'Service', text: ({ Name }) => Name },
      { title: 'Instances', text: ({ InstanceCount }) => String(InstanceCount) },
      { title: 'Passing', text: ({ ChecksPassing }) => String(ChecksPassing) },
      { title: 'Warning', text: ({ ChecksWarning }) => String(ChecksWarning) },
      { title: 'Critical', text: ({ ChecksCritical }) => String(ChecksCritical) },
      { title: 'Tags', text: ({ Tags }) => (Tags ?? []).join(', ') },
    ],
    'No services that this token may read.',
  )
}

/** The worst status of the checks. */
function statusOf({ Checks }: ServiceHealth): string {
  const found = new Set(Checks.map(({ Status }) => Status))
  return ['maintenance', 'critical', 'warning'].find((status) => found.has(status)) ?? 'passing'
}

export const serviceHealth: Action = async (session, input) => {
  const rows = await (await session.client()).health.service(input.arg(0), {
    passing: input.flag('passing') ? true : undefined,
    filter: input.text('filter'),
  })
  await session.out.list(
    rows,
    [
      { title: 'Instance', text: ({ Service }: ServiceHealth) => Service.ID },
      { title: 'Node', text: ({ Node }: ServiceHealth) => Node.Node },
      {
        title: 'Address',
        text: ({ Service, Node }: ServiceHealth) => `${Service.Address || Node.Address}:${Service.Port}`,
      },
      { title: 'Status', text: statusOf },
      {
        title: 'Checks',
        text: ({ Checks }: ServiceHealth) => Checks.map(({ Name, Status }) => `${Name} ${Status}`).join(', '),
      },
    ],
    `No instances of ${input.arg(0)} that this token may read.`,
  )
  return rows.length === 0 ? EXIT.notFound : EXIT.done
}

export const listChecks: Action = async (session, input) => {
  const rows = await (await session.client()).health.state(input.args[0] ?? 'any', {
    filter: input.text('filter'),
  })
  await session.out.list(
    rows,
    [
      { title: 'Status', text: ({ Status }: HealthCheck) => Status },
      { title: 'Node', text: ({ Node }: HealthCheck) => Node },
      { title: 'Service', text: ({ ServiceName }: HealthCheck) => ServiceName },
      { title: 'Check', text: ({ Name }: HealthCheck) => Name },
      { title: 'Output', text: ({ Output }: HealthCheck) => Output.split('\n')[0] ?? '' },
    ],
    'No checks that this token may read.',
  )
}

const INTENTION_COLUMNS = [
  { title: 'Source', text: ({ SourceName }: Intention) => SourceName },
  { title: 'Destination', text: ({ DestinationName }: Intention) => DestinationName },
  {
    title: 'Action',
    text: ({ Action, Permissions }: Intention) => Action || `${Permissions?.length ?? 0} permissions`,
  },
  { title: 'Precedence', text: ({ Precedence }: Intention) => String(Precedence) },
  { title: 'Description', text: ({ Description = '' }: Intention) => Description },
] as const

export const listIntentions: Action = async (session, input) => {
  const rows = await (await session.client()).intentions.list({ filter: input.text('filter') })
  await session.out.list(rows, INTENTION_COLUMNS, 'No intentions that this token may read.')
}

export const readIntention: Action = async (session, input) => {
  const names = { source: input.arg(0), destination: input.arg(1) }
  await session.out.record(await (await session.client()).intentions.readExact(names), INTENTION_COLUMNS)
}

export const writeIntention: Action = async (session, input) => {
  const names = { source: input.arg(0), destination: input.arg(1) }
  const { intentions } = await session.client()
  const Description = input.text('description')
  await intentions.writeExact(names, {
    Action: input.arg(2) === 'allow' ? 'allow' : 'deny',
    ...(Description === undefined ? {} : { Description }),
  })
  await session.note(`${names.source} → ${names.destination}: ${input.arg(2)}.`)
}

export const deleteIntention: Action = async (session, input) => {
  const names = { source: input.arg(0), destination: input.arg(1) }
  const client = await session.client()
  await client.intentions.readExact(names)
  await session.confirm(`Delete the intention ${names.source} → ${names.destination}?`)
  await client.intentions.deleteExact(names)
  await session.note('Deleted.')
}

export const checkIntention: Action = async (session, input) => {
  const names = { source: input.arg(0), destination: input.arg(1) }
  const { Allowed } = await (await session.client()).intentions.check(names)
  if (session.out.isTable) await session.out.text(Allowed ? 'yes\n' : 'no\n')
  else await session.out.data({ Allowed })
  return Allowed ? EXIT.done : EXIT.denied
}
