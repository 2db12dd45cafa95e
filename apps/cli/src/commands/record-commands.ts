/** The commands of the six kinds of records. */
import type { CommandGroup, CommandSpec, OptionSpec } from '../frame/command-spec.ts'
import { KIND_COMMANDS, type KindCommands, type Verb } from '../records/kind-commands.ts'

const from: OptionSpec = {
  flags: '--from <file>',
  description: 'read the record from a YAML or JSON file, - for standard input; options override it',
}

/** The differences between the verbs, for every kind. */
function commandOf(kind: KindCommands, verb: Verb): CommandSpec {
  const { word, one, many, reference, content } = kind
  const shapes: Readonly<Record<Verb, { args: string; summary: string; options: readonly OptionSpec[] }>> = {
    create: {
      args: kind.created,
      summary: `create ${one}`,
      options: [...content, ...(kind.createOnly ?? []), from],
    },
    read: { args: reference, summary: `show ${one}`, options: [] },
    update: {
      args: reference,
      summary: `change ${one}`,
      options: [...content, ...(kind.updateOnly ?? []), from],
    },
    delete: { args: reference, summary: `delete ${one}, after confirmation`, options: [] },
    list: { args: '', summary: `list ${many}`, options: kind.listOptions ?? [] },
    clone: {
      args: `${reference} ${kind.cloned}`,
      summary: `copy ${one}`,
      options: kind.cloneOptions ?? [],
    },
  }
  const { args, summary, options } = shapes[verb]
  const details = kind.details?.[verb]
  return {
    usage: `${word} ${verb} ${args}`.trim(),
    summary,
    ...(details === undefined ? {} : { details }),
    options,
    examples: kind.examples[verb],
    load: async () => (await kind.load())[verb],
  }
}

const VERBS: readonly Verb[] = ['create', 'read', 'update', 'delete', 'list', 'clone']

export const RECORD_COMMANDS: CommandGroup = {
  title: 'Records',
  commands: KIND_COMMANDS.flatMap((kind) => [
    ...VERBS.map((verb) => commandOf(kind, verb)),
    ...(kind.others ?? []),
  ]),
}
