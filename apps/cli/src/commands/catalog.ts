import type { Intention, ServiceHealth } from '@latchkey/sdk'
import { EXIT } from '../frame/cli-error.ts'
import { type CommandGroup, option } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Column } from '../output/table.ts'

const filter = option('--filter <expression>', 'only records that match this expression')

function statusOf({ Checks }: ServiceHealth): string {
  const found = new Set(Checks.map(({ Status }) => Status))
  return ['maintenance', 'critical', 'warning'].find((status) => found.has(status)) ?? 'passing'
}

const INSTANCE_COLUMNS: readonly Column<ServiceHealth>[] = [
  ['Instance', ({ Service }) => Service.ID],
  ['Node', ({ Node }) => Node.Node],
  ['Address', ({ Service, Node }) => `${Service.Address || Node.Address}:${Service.Port}`],
  ['Status', statusOf],
  ['Checks', ({ Checks }) => Checks.map(({ Name, Status }) => `${Name} ${Status}`).join(', ')],
]

const INTENTION_COLUMNS: readonly Column<Intention>[] = [
  ['Source', ({ SourceName }) => SourceName],
  ['Destination', ({ DestinationName }) => DestinationName],
  ['Action', ({ Action, Permissions }) => Action || `${Permissions?.length ?? 0} permissions`],
  'Precedence',
  'Description',
]

const intentionOf = (input: Input) => ({ source: input.arg(0), destination: input.arg(1) })

export const CATALOG_COMMANDS: CommandGroup = {
  title: 'Services',
  commands: [
    {
      usage: 'node list',
      summary: 'list nodes',
      options: [filter],
      async run(session, input) {
        const rows = await (await session.client()).catalog.nodes({ filter: input.text('filter') })
        await session.out.list(rows, ['Node', 'Address', 'Datacenter'], 'No nodes that this token may read.')
      },
    },
    {
      usage: 'service list',
      summary: 'list services and the status of their checks',
      async run(session) {
        await session.out.list(
          await (await session.client()).health.uiServices(),
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
      },
    },
    {
      usage: 'service health <service>',
      summary: 'list the instances of a service and their checks',
      options: [option('--passing', 'only instances that pass all checks'), filter],
      examples: ['service health latchkey', 'service health web --passing'],
      async run(session, input) {
        const passing = input.flag('passing') ? true : undefined
        const { health } = await session.client()
        const rows = await health.service(input.arg(0), { passing, filter: input.text('filter') })
        const none = `No instances of ${input.arg(0)} that this token may read.`
        await session.out.list(rows, INSTANCE_COLUMNS, none)
        return rows.length === 0 ? EXIT.notFound : EXIT.done
      },
    },
    {
      usage: 'check list [status]',
      summary: 'list health checks: all, or those that are passing, warning or critical',
      options: [filter],
      examples: ['check list', 'check list critical'],
      async run(session, input) {
        const { health } = await session.client()
        await session.out.list(
          await health.state(input.args[0] ?? 'any', { filter: input.text('filter') }),
          [
            ...(['Status', 'Node'] as const),
            ['Service', ({ ServiceName }) => ServiceName],
            ['Check', ({ Name }) => Name],
            ['Output', ({ Output }) => Output.split('\n')[0] ?? ''],
          ],
          'No checks that this token may read.',
        )
      },
    },
    {
      usage: 'intention list',
      summary: 'list which services may connect to which',
      options: [filter],
      async run(session, input) {
        const rows = await (await session.client()).intentions.list({ filter: input.text('filter') })
        await session.out.list(rows, INTENTION_COLUMNS, 'No intentions that this token may read.')
      },
    },
    {
      usage: 'intention read <source> <destination>',
      summary: 'show an intention',
      examples: ['intention read web db'],
      async run(session, input) {
        const intention = await (await session.client()).intentions.readExact(intentionOf(input))
        await session.out.record(intention, INTENTION_COLUMNS)
      },
    },
    {
      usage: 'intention write <source> <destination> <action>',
      summary: 'allow or deny connections between two services',
      options: [option('--description <text>', 'free-form description')],
      examples: ['intention write web db allow'],
      async run(session, input) {
        const [source = '', destination = '', action] = input.args
        const Description = input.text('description')
        await (await session.client()).intentions.writeExact(
          { source, destination },
          {
            Action: action === 'allow' ? 'allow' : 'deny',
            ...(Description === undefined ? {} : { Description }),
          },
        )
        await session.note(`${source} → ${destination}: ${action}.`)
      },
    },
    {
      usage: 'intention delete <source> <destination>',
      summary: 'delete an intention, after confirmation',
      examples: ['intention delete web db'],
      async run(session, input) {
        const names = intentionOf(input)
        const { intentions } = await session.client()
        await intentions.readExact(names)
        await session.confirm(`Delete the intention ${names.source} → ${names.destination}?`)
        await intentions.deleteExact(names)
        await session.note('Deleted.')
      },
    },
    {
      usage: 'intention check <source> <destination>',
      summary: 'check whether one service may connect to another',
      details: 'Exit code 0: yes, 3: no.',
      examples: ['intention check web db'],
      async run(session, input) {
        const { Allowed } = await (await session.client()).intentions.check(intentionOf(input))
        if (session.out.isTable) await session.out.text(Allowed ? 'yes\n' : 'no\n')
        else await session.out.data({ Allowed })
        return Allowed ? EXIT.done : EXIT.denied
      },
    },
  ],
}
