/** Nodes, services, checks and intentions. */
import type { CommandGroup } from '../frame/command-spec.ts'

const filter = {
  flags: '--filter <expression>',
  description: 'only records that match this expression',
} as const

export const CATALOG_COMMANDS: CommandGroup = {
  title: 'Services',
  commands: [
    {
      usage: 'node list',
      summary: 'list nodes',
      options: [filter],
      examples: ['node list'],
      load: async () => (await import('./catalog.ts')).listNodes,
    },
    {
      usage: 'service list',
      summary: 'list services and the status of their checks',
      examples: ['service list'],
      load: async () => (await import('./catalog.ts')).listServices,
    },
    {
      usage: 'service health <service>',
      summary: 'list the instances of a service and their checks',
      options: [{ flags: '--passing', description: 'only instances that pass all checks' }, filter],
      examples: ['service health latchkey', 'service health web --passing'],
      load: async () => (await import('./catalog.ts')).serviceHealth,
    },
    {
      usage: 'check list [status]',
      summary: 'list health checks: all, or those that are passing, warning or critical',
      options: [filter],
      examples: ['check list', 'check list critical'],
      load: async () => (await import('./catalog.ts')).listChecks,
    },
    {
      usage: 'intention list',
      summary: 'list which services may connect to which',
      options: [filter],
      examples: ['intention list'],
      load: async () => (await import('./catalog.ts')).listIntentions,
    },
    {
      usage: 'intention read <source> <destination>',
      summary: 'show an intention',
      examples: ['intention read web db'],
      load: async () => (await import('./catalog.ts')).readIntention,
    },
    {
      usage: 'intention write <source> <destination> <action>',
      summary: 'allow or deny connections between two services',
      options: [{ flags: '--description <text>', description: 'free-form description' }],
      examples: ['intention write web db allow'],
      load: async () => (await import('./catalog.ts')).writeIntention,
    },
    {
      usage: 'intention delete <source> <destination>',
      summary: 'delete an intention, after confirmation',
      examples: ['intention delete web db'],
      load: async () => (await import('./catalog.ts')).deleteIntention,
    },
    {
      usage: 'intention check <source> <destination>',
      summary: 'check whether one service may connect to another',
      details: 'Exit code 0: yes, 3: no.',
      examples: ['intention check web db'],
      load: async () => (await import('./catalog.ts')).checkIntention,
    },
  ],
}
