/** The generated parts of docs/cli.md. */
import { COMMAND_GROUPS } from '../src/commands/groups.ts'
import { EXIT, EXIT_MEANINGS } from '../src/frame/cli-error.ts'
import {
  type CommandGroup,
  type CommandSpec,
  examplesOf,
  type OptionSpec,
} from '../src/frame/command-spec.ts'
import { GLOBAL_OPTIONS } from '../src/frame/global-options.ts'

export function renderExitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  const rows = names.map((name) => `| ${EXIT[name]} | ${EXIT_MEANINGS[name]} |`)
  return ['| code | meaning |', '|---|---|', ...rows].join('\n')
}

export function renderCommands(): string {
  return [
    ...COMMAND_GROUPS.map(renderGroup),
    `### Options of every command\n\n${renderOptions(GLOBAL_OPTIONS)}`,
  ].join('\n\n')
}

function renderGroup({ title, commands }: CommandGroup): string {
  const shown = commands.filter(({ isHidden }) => isHidden !== true)
  return [`### ${title}`, ...shown.map(renderCommand)].join('\n\n')
}

function renderCommand(spec: CommandSpec): string {
  const { usage, summary, details, options = [] } = spec
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  return [
    `#### \`latchkey ${usage}\``,
    details === undefined ? sentence : `${sentence} ${details}`,
    ...(options.length === 0 ? [] : [renderOptions(options)]),
    `\`\`\`sh\n${examplesOf(spec)
      .map((example) => `latchkey ${example}`)
      .join('\n')}\n\`\`\``,
  ].join('\n\n')
}

function renderOptions(options: readonly OptionSpec[]): string {
  const rows = options.map(({ flags, description, choices }) => {
    const values = choices === undefined ? '' : `: ${choices.map((choice) => `\`${choice}\``).join(', ')}`
    return `| \`${flags}\` | ${description.replaceAll('|', '\\|')}${values} |`
  })
  return ['| option | |', '|---|---|', ...rows].join('\n')
}
