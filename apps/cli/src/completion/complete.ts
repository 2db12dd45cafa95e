/** Shell completion of commands, options, choices, and names of records. */
import {
  argumentsOf,
  type CommandGroup,
  type CommandSpec,
  type OptionSpec,
  wordsOf,
} from '../frame/command-spec.ts'
import { GLOBAL_OPTIONS } from '../frame/global-options.ts'
import type { Session } from '../frame/session.ts'

/** Record kinds for placeholders: `<policy>` completes names of policies. */
const NAMES: Readonly<Record<string, (session: Session) => Promise<readonly string[]>>> = {
  policy: async (session) => (await (await session.client()).policies.list()).map(({ Name }) => Name),
  role: async (session) => (await (await session.client()).roles.list()).map(({ Name }) => Name),
  'auth-method': async (session) =>
    (await (await session.client()).authMethods.list()).map(({ Name }) => Name),
  namespace: async (session) => (await (await session.client()).namespaces.list()).map(({ Name }) => Name),
  service: async (session) => Object.keys(await (await session.client()).catalog.services()),
}

/** Maximum time to wait for the service during a completion. */
const NAMES_MS_MAX = 2_000

/**
 * Completes a command line.
 *
 * @param words the words after `latchkey`; the last one is incomplete, or empty.
 */
export async function complete(
  groups: readonly CommandGroup[],
  words: readonly string[],
  session: Session,
): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const specs = groups.flatMap(({ commands }) => commands).filter(({ isHidden }) => isHidden !== true)
  const every = [...specs.flatMap(({ options = [] }) => options), ...GLOBAL_OPTIONS]
  const isValue = (at: number) =>
    every.some((option) => takesValue(option) && isNamed(option, before[at - 1]))
  const plain = before.filter((word, at) => !word.startsWith('-') && !isValue(at))
  const spec = specs.find((each) => wordsOf(each).every((word, i) => plain[i] === word))
  const offered = await offersFor({ current, before, plain, spec, specs, session })
  return [...new Set(offered)].filter((offer) => offer.startsWith(current)).sort()
}

interface Line {
  readonly current: string
  readonly before: readonly string[]
  /** The words without options and their values. */
  readonly plain: readonly string[]
  readonly spec: CommandSpec | undefined
  readonly specs: readonly CommandSpec[]
  readonly session: Session
}

async function offersFor({ current, before, plain, spec, specs, session }: Line): Promise<readonly string[]> {
  const options = [...(spec?.options ?? []), ...GLOBAL_OPTIONS]
  const open = options.find((option) => takesValue(option) && isNamed(option, before.at(-1)))
  if (open !== undefined) return open.choices ?? namesOf(longName(open).slice(2), session)
  if (current.startsWith('-')) return options.map(longName)
  if (spec === undefined) return nextWords(specs, plain)
  const position = plain.length - wordsOf(spec).length
  const argument = argumentsOf(spec)
    .split(' ')
    [position]?.replace(/[<>[\].]/g, '')
  return argument === undefined ? [] : namesOf(argument, session)
}

function nextWords(specs: readonly CommandSpec[], plain: readonly string[]): string[] {
  return specs
    .map(wordsOf)
    .filter((words) => plain.every((word, i) => words[i] === word))
    .flatMap((words) => words[plain.length] ?? [])
}

function longName({ flags }: OptionSpec): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

/** Whether a word is the option, by its long or its short name. */
function isNamed({ flags }: OptionSpec, word: string | undefined): boolean {
  return word !== undefined && flags.split(/[ ,]+/).includes(word)
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes('<')
}

/** Names from the service; none if it does not answer, refuses, or takes too long. */
async function namesOf(kind: string, session: Session): Promise<readonly string[]> {
  const list = NAMES[kind.replace(/^(add|remove)-/, '')]
  if (list === undefined) return []
  const tooLate = new Promise<readonly string[]>((resolve) => {
    setTimeout(() => resolve([]), NAMES_MS_MAX).unref()
  })
  return Promise.race([list(session).catch(() => []), tooLate])
}
