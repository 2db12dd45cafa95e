/** Nodes, services, checks and intentions. */
import type { CommandGroup } from '../frame/command-spec.ts'

const filter = { flags: '--filter <expression>', description: 'only records that it is true of' } as const

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
      summary: 'list services with the status of their checks',
      examples: ['service list'],
      load: async () => (await import('./catalog.ts')).listServices,
    },
    {
      usage: 'service health <service>',
      summary: 'list the instances of a service with their checks',
      options: [{ flags: '--passing', description: 'only instances all of whose checks pass' }, filter],
      examples: ['service health consul', 'service health web --passing'],
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
      options: [{ flags: '--description <text>', description: 'free text for people' }],
      examples: ['intention write web db allow'],
      load: async () => (await import('./catalog.ts')).writeIntention,
    },
    {
      usage: 'intention delete <source> <destination>',
      summary: 'delete an intention, after a question',
      examples: ['intention delete web db'],
      load: async () => (await import('./catalog.ts')).deleteIntention,
    },
    {
      usage: 'intention check <source> <destination>',
      summary: 'say whether one service may connect to another',
      details: 'Exit code 0 is yes, 3 is no.',
      examples: ['intention check web db'],
      load: async () => (await import('./catalog.ts')).checkIntention,
    },
  ],
}
