import type { ServiceVersion } from '@latchkey/contract'
import { formatChanges, formatChangesMarkdown, listChanges } from '../../changes/changes.ts'
import { EXIT } from '../../errors.ts'
import type { AddCommand } from '../add-command.ts'
import { versionOption } from '../inputs.ts'
import { write } from '../io.ts'

interface Options {
  readonly from: ServiceVersion
  readonly to: ServiceVersion
  readonly json?: true
  readonly markdown?: true
}

export const addChanges: AddCommand = (program, io, done) => {
  program
    .command('changes')
    .description('Lists what changes between two versions of the service.')
    .requiredOption('--from <version>', 'current version', versionOption)
    .requiredOption('--to <version>', 'target version', versionOption)
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print a Markdown page')
    .addHelpText(
      'after',
      `
Examples:
  $ latchkey-migrator changes --from 1.3.0 --to 1.11
  $ latchkey-migrator changes --from 1.6.2 --to 1.7.2 --markdown > changes.md`,
    )
    .action(async ({ from, to, json, markdown }: Options) => {
      const result = listChanges(from, to)
      const text = json
        ? `${JSON.stringify(result)}\n`
        : markdown
          ? formatChangesMarkdown(result)
          : formatChanges(result)
      await write(io.stdout, text)
      done(EXIT.done)
    })
}
