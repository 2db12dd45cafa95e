/** Reads of nodes, services and their health, and intentions. */
import type { HealthCheck, Intention, ServiceHealth } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import type { Action } from '../frame/command-spec.ts'

export const listNodes: Action = async (session, input) => {
  const rows = await (await session.client()).catalog.nodes({ filter: input.text('filter') })
  await session.out.list(rows, ['Node', 'Address', 'Datacenter'], 'No nodes that this token may read.')
}

export const listServices: Action = async (session) => {
  const services = await (await session.client()).health.uiServices()
  await session.out.list(
    services,
    [
      ['Service', ({ Name }) => Name],
      ['Instances', ({ InstanceCount }) => String(InstanceCount)],
      ['Passing', ({ ChecksPassing }) => String(ChecksPassing)],
      ['Warning', ({ ChecksWarning }) => String(ChecksWarning)],
      ['Critical', ({ ChecksCritical }) => String(ChecksCritical)],
      ['Tags', ({ Tags }) => (Tags ?? []).join(', ')],
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
      ['Instance', ({ Service }: ServiceHealth) => Service.ID],
      ['Node', ({ Node }: ServiceHealth) => Node.Node],
      ['Address', ({ Service, Node }: ServiceHealth) => `${Service.Address || Node.Address}:${Service.Port}`],
      ['Status', statusOf],
      [
        'Checks',
        ({ Checks }: ServiceHealth) => Checks.map(({ Name, Status }) => `${Name} ${Status}`).join(', '),
      ],
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
      'Status',
      'Node',
      ['Service', ({ ServiceName }: HealthCheck) => ServiceName],
      ['Check', ({ Name }: HealthCheck) => Name],
      ['Output', ({ Output }: HealthCheck) => Output.split('\n')[0] ?? ''],
    ],
    'No checks that this token may read.',
  )
}

const INTENTION_COLUMNS = [
  ['Source', ({ SourceName }: Intention) => SourceName],
  ['Destination', ({ DestinationName }: Intention) => DestinationName],
  ['Action', ({ Action, Permissions }: Intention) => Action || `${Permissions?.length ?? 0} permissions`],
  'Precedence',
  'Description',
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
