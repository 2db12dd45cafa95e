import type { OptionSpec } from './command-spec.ts'

/** Commander's error for an unknown option, with or without its own suggestion. */
const UNKNOWN = /^(error: unknown option '(--?[\w-]+)[^\n]*)\n(?:\(Did you mean [^\n]*\n)?/

/**
 * Suggests the option for a name that is common in other tools. Commander itself suggests options with similar names.
 *
 * @param text the output of commander; returned unchanged, unless it refuses an option with a known other name.
 * @param options the options of the command, then the global options: the first match is used.
 */
export function suggestOption(text: string, options: readonly OptionSpec[]): string {
  const [head, refusal, name = ''] = UNKNOWN.exec(text) ?? []
  const meant = options.find(({ misnomers }) => misnomers?.includes(name))
  if (head === undefined || meant === undefined) return text
  return `${refusal}\n(Did you mean ${meant.flags}?)\n${text.slice(head.length)}`
}
