/** Folders of YAML. */
import type { CommandGroup } from '../frame/command-spec.ts'

const prune = {
  flags: '--prune',
  description: 'also delete records that the folder does not have, of the kinds that it has',
} as const

export const FOLDER_COMMANDS: CommandGroup = {
  title: 'Folders',
  commands: [
    {
      usage: 'plan <folder>',
      summary: 'show what would change if a folder of YAML were applied',
      details: 'Changes nothing. Exit code 0: nothing differs, 2: something does.',
      options: [prune],
      examples: ['plan access/'],
      load: async () => (await import('../folder/actions.ts')).plan,
    },
    {
      usage: 'apply <folder>',
      summary: 'make the service have the records of a folder: all of them, or none',
      details:
        'Shows the plan and, on a terminal, asks. Deletions need an answer or --yes. If a write fails, those before it are undone.',
      options: [prune],
      examples: ['apply access/', 'apply access/ --prune --yes'],
      load: async () => (await import('../folder/actions.ts')).apply,
    },
    {
      usage: 'export <folder>',
      summary: 'write the records of the service into a folder of YAML, without secrets',
      options: [
        {
          flags: '--kind <kind>',
          description: 'only records of this kind; several times for several',
          isList: true,
        },
      ],
      examples: ['export access/', 'export access/ --kind policy --kind role'],
      load: async () => (await import('../folder/actions.ts')).exportFolder,
    },
    {
      usage: 'schema',
      summary: 'print the JSON Schema of the records in a folder',
      details: 'An export writes it beside its files, where editors find it.',
      examples: ['schema'],
      load: async () => (await import('../folder/actions.ts')).schema,
    },
  ],
}
