import { type CommandGroup, option } from '../frame/command-spec.ts'

const prune = option(
  '--prune',
  'also delete records that are missing from the folder, for the kinds that it contains',
)

export const FOLDER_COMMANDS: CommandGroup = {
  title: 'Folders',
  commands: [
    {
      usage: 'plan <folder>',
      summary: 'show what would change if a folder of YAML were applied',
      details: 'Changes nothing. Exit code 0: no differences, 2: differences.',
      options: [prune],
      examples: ['plan access/'],
      load: async () => (await import('../folder/actions.ts')).plan,
    },
    {
      usage: 'apply <folder>',
      summary: 'make the service match a folder of YAML, all or nothing',
      details:
        'Shows the plan and, on a terminal, asks for confirmation. Without a terminal, deletions need --yes. If a write fails, the writes before it are undone.',
      options: [prune],
      examples: ['apply access/', 'apply access/ --prune --yes'],
      load: async () => (await import('../folder/actions.ts')).apply,
    },
    {
      usage: 'export <folder>',
      summary: 'write the records of the service to a folder of YAML, without secrets',
      options: [option('--kind <kind>', 'only records of this kind (repeatable)', { isList: true })],
      examples: ['export access/', 'export access/ --kind policy --kind role'],
      load: async () => (await import('../folder/actions.ts')).exportFolder,
    },
    {
      usage: 'schema',
      summary: 'print the JSON Schema of the records in a folder',
      details: 'An export places it next to its files, where editors find it.',
      load: async () => (await import('../folder/actions.ts')).schema,
    },
  ],
}
