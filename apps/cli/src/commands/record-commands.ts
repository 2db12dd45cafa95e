import { type CommandGroup, type CommandSpec, type OptionSpec, option } from '../frame/command-spec.ts'
import { manyOf, RECORD_KINDS, type RecordKind, type Verb } from '../records/kinds.ts'

const from: OptionSpec = option(
  '--from <file>',
  'read the record from a YAML or JSON file, - for standard input; options override it',
)

function commandsOf(kind: RecordKind): CommandSpec[] {
  const { word, reference = word, content, listOptions = [], cloneOptions = [], example, examples } = kind
  const isNamed = kind.reference === undefined
  const one = `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word.replace('-', ' ')}`
  const shapes: Record<Verb, readonly [args: string, summary: string, options: readonly OptionSpec[]]> = {
    create: [isNamed ? ' <name>' : '', `create ${one}`, [...content, ...(kind.createOnly ?? []), from]],
    read: [` <${reference}>`, `show ${one}`, []],
    update: [` <${reference}>`, `change ${one}`, [...content, ...(kind.updateOnly ?? []), from]],
    delete: [` <${reference}>`, `delete ${one}, after confirmation`, []],
    list: ['', `list ${manyOf(word)}`, listOptions],
    clone: [` <${reference}>${isNamed ? ' <new-name>' : ''}`, `copy ${one}`, cloneOptions],
  }
  return (Object.keys(shapes) as Verb[]).map((verb) => {
    const [args, summary, options] = shapes[verb]
    return {
      usage: `${word} ${verb}${args}`,
      summary,
      details: kind.details?.[verb],
      options,
      examples: examples[verb] ?? [`${word} ${verb}${verb === 'list' ? '' : ` ${example}`}`],
      load: async () => (await import('../records/record-actions.ts')).recordActions(kind)[verb],
    }
  })
}

const edit: CommandSpec = {
  usage: 'policy edit <policy>',
  summary: 'edit the rules of a new or existing policy in your editor',
  details:
    'Opens VISUAL, EDITOR or vi. Refuses invalid rules. On a terminal, shows the tokens that would gain or lose rights, and asks for confirmation.',
  examples: ['policy edit orders-read'],
  load: async () => (await import('../records/edit-policy.ts')).editPolicy,
}

export const RECORD_COMMANDS: CommandGroup = {
  title: 'Records',
  commands: RECORD_KINDS.flatMap((kind) => [...commandsOf(kind), ...(kind.word === 'policy' ? [edit] : [])]),
}
