/** Shell completion of commands, options, choices, and names of records. */
import { CliError } from './frame/cli-error.ts'
import {
  type Action,
  argumentsOf,
  type CommandSpec,
  longName,
  type OptionSpec,
  wordsOf,
} from './frame/command-spec.ts'
import { GLOBAL_OPTIONS } from './frame/global-options.ts'
import type { Session } from './frame/session.ts'
import { resourceOf } from './records/find.ts'

/** For each shell, how to install the script, and the script, which calls `latchkey __complete`. */
const SHELLS: Readonly<Record<string, { readonly install: string; readonly script: string }>> = {
  bash: {
    install: 'Add to ~/.bashrc: source <(latchkey completion bash)',
    script: `_latchkey() {
  local IFS=$'\\n'
  COMPREPLY=($(latchkey __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _latchkey latchkey
`,
  },
  zsh: {
    install: 'Add to ~/.zshrc, after compinit: source <(latchkey completion zsh)',
    script: `#compdef latchkey
_latchkey() {
  local -a offers
  offers=("\${(@f)$(latchkey __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$offers" ]]; then compadd -a offers; else _files; fi
}
compdef _latchkey latchkey
`,
  },
  fish: {
    install: 'Run: latchkey completion fish > ~/.config/fish/completions/latchkey.fish',
    script: `function __latchkey_complete
  set -l words (commandline -opc)
  latchkey __complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c latchkey -a '(__latchkey_complete)'
`,
  },
}

export const completion: Action = async (session, input) => {
  const shell = Object.hasOwn(SHELLS, input.arg(0)) ? SHELLS[input.arg(0)] : undefined
  if (shell === undefined) {
    throw new CliError(`there is no completion for ${input.arg(0)}`, {
      hints: ['Supported shells: bash, zsh, fish'],
    })
  }
  await session.out.raw(shell.script)
  if (session.io.stdout.isTTY === true) await session.note(shell.install)
}

/** Answers a script, which passes the words after `latchkey`; the last one is incomplete, or empty. */
export const completeWords =
  (commands: () => readonly CommandSpec[]): Action =>
  async (session, { args }) => {
    const current = args.at(-1) ?? ''
    const offers = await offersFor(commands(), args.slice(0, -1), current, session)
    const fitting = [...new Set(offers)].filter((offer) => offer.startsWith(current)).sort()
    await session.out.text(fitting.map((offer) => `${offer}\n`).join(''))
  }

async function offersFor(
  commands: readonly CommandSpec[],
  before: readonly string[],
  current: string,
  session: Session,
): Promise<readonly string[]> {
  const specs = commands.filter(({ isHidden }) => isHidden !== true)
  const every = [...specs.flatMap(({ options = [] }) => options), ...GLOBAL_OPTIONS]
  /** Whether a word is an option with a value, by its long or its short name. */
  const isOpen = ({ flags }: OptionSpec, word = '') =>
    flags.includes('<') && flags.split(/[ ,]+/).includes(word)
  const plain = before.filter(
    (word, at) => !word.startsWith('-') && !every.some((option) => isOpen(option, before[at - 1])),
  )
  const spec = specs.find((each) => wordsOf(each).every((word, i) => plain[i] === word))
  const options = [...(spec?.options ?? []), ...GLOBAL_OPTIONS]
  const open = options.find((option) => isOpen(option, before.at(-1)))
  if (open !== undefined) return open.choices ?? namesOf(longName(open), session)
  if (current.startsWith('-')) return options.map((option) => `--${longName(option)}`)
  if (spec === undefined) {
    return specs
      .map(wordsOf)
      .filter((words) => plain.every((word, i) => words[i] === word))
      .flatMap((words) => words[plain.length] ?? [])
  }
  const argument = argumentsOf(spec).split(' ')[plain.length - wordsOf(spec).length] ?? ''
  return namesOf(argument.replace(/[<>[\].]/g, ''), session)
}

const NAMES_MS_MAX = 2_000

/** Names from the service; none if it does not answer, refuses, or takes too long. */
async function namesOf(word: string, session: Session): Promise<readonly string[]> {
  const kind = word.replace(/^(add|remove)-/, '')
  const list = async () => {
    const client = await session.client()
    if (kind === 'service') return Object.keys(await client.catalog.services())
    if (!isNamedKind(kind)) return []
    return (await resourceOf(client, kind).list()).map(({ Name }) => String(Name))
  }
  const tooLate = new Promise<readonly string[]>((resolve) => {
    setTimeout(() => resolve([]), NAMES_MS_MAX).unref()
  })
  return Promise.race([list().catch(() => []), tooLate])
}

function isNamedKind(word: string): word is 'policy' | 'role' | 'auth-method' | 'namespace' {
  return ['policy', 'role', 'auth-method', 'namespace'].includes(word)
}
