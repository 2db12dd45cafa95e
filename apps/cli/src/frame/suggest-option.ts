import type { OptionSpec } from './command-spec.ts'

/** How commander refuses an option, with or without its own suggestion. */
const UNKNOWN = /^(error: unknown option '(--?[\w-]+)[^\n]*)\n(?:\(Did you mean [^\n]*\n)?/

/**
 * Names the option that a person meant by a name that people often try instead. Commander itself suggests names that are
 * spelled alike.
 *
 * @param text what commander prints; returned as it is, unless it refuses an option whose name is known from other tools.
 * @param options of the command, then those that every command takes: the first match counts.
 */
export function suggestOption(text: string, options: readonly OptionSpec[]): string {
  const [head, refusal, name = ''] = UNKNOWN.exec(text) ?? []
  const meant = options.find(({ misnomers }) => misnomers?.includes(name))
  if (head === undefined || meant === undefined) return text
  return `${refusal}\n(Did you mean ${meant.flags}?)\n${text.slice(head.length)}`
}
