// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
/** Random rule texts: well-formed ones with every feature of the language, mutated ones, and noise. */
import type { SeededRandom } from '../random.ts'

const BLANKS = [' ', ' ', ' ', '\n', '\n', '\n\n', '  ', '\t', '\r\n'] as const
const COMMENTS = [
  '# c\n',
  '// c two\n',
  '/* b */',
  '/* m\n  l */',
  '#\n',
  '# x\n# y\n',
  '/* a */ /* b */',
] as const
const SEGMENTS = [
  ...['"a"', '"foo/"', '""', '"é"', '"a\\"b"', '"${a}"', '"${\n}"', '"\\u00e9\\x41"', '"key"', 'foo'],
  ...['b-x', 'key'],
] as const
const KEYWORDS = [
  'key',
  'service',
  'node',
  'agent',
  'event',
  'query',
  'session',
  'key_prefix',
  'service_prefix',
] as const
const ODD_KEYWORDS = ['acl', 'foo', '"key"', 'KEY', '"foo"', 'mesh', 'Key_Prefix', 'policy'] as const
const SCALARS = ['acl', 'operator', 'keyring', 'mesh', 'peering', 'ACL', 'foo'] as const
const LEVELS = ['"read"', '"write"', '"deny"', '"READ"'] as const
const ODD_VALUES = [
  ...['"list"', '1', '-2.5e3', 'true', '"bogus"', '""', '<<EOF\nx y\n  z\nEOF\n', '<<-E\n  q\n  E\n'],
  ...['[1, "a"]', '{}'],
] as const
const ATTRIBUTES = ['policy', 'policy', 'policy', '"policy"', 'intentions', 'zz', 'sentinel', 'key'] as const
const NOISE = [
  ...['"', '{', '}', '[', ']', '=', ',', ':', '\n', '#', '//', '/*', '*/', '\\', '${', '<<', '<<E\n'],
  ...['\nE\n', 'a', '1', ' ', '"a"', 'é', '-', '.', 'policy', 'key', '\\n', '\\q', '\\u12', 'true'],
  ...['null', '\u2028', '\0', '\ufeff', '\ud800', '\u{1f600}', '\r'],
] as const

/** An HCL text that the language usually accepts. */
export function randomHcl(random: SeededRandom): string {
  let text = ''
  for (let left = random.below(5); left > 0; left--) {
    text += sometimesComment(random, 0.3)
    text += random.chance(0.7) ? block(random, 1) : `${random.pick(SCALARS)} = ${value(random)}`
    text += random.pick(BLANKS) + sometimesComment(random, 0.2) + (random.chance(0.6) ? '\n' : '')
  }
  return text + sometimesComment(random, 0.2)
}

function block(random: SeededRandom, depth: number): string {
  const keyword = random.chance(0.85) ? random.pick(KEYWORDS) : random.pick(ODD_KEYWORDS)
  if (random.chance(0.08)) return `${keyword}${random.pick([' ', ' = '])}${nestedBlocks(random)}`
  const labels = random.chance(0.93) ? 1 : random.below(3)
  let text: string = keyword
  for (let left = labels; left > 0; left--)
    text += ` ${sometimesComment(random, 0.03)}${random.pick(SEGMENTS)}`
  return `${text} ${body(random, depth)}`
}

function nestedBlocks(random: SeededRandom): string {
  let text = '{'
  for (let left = random.below(3); left > 0; left--) text += ` ${random.pick(SEGMENTS)} ${body(random, 0)}`
  return `${text} }`
}

function body(random: SeededRandom, depth: number): string {
  if (random.chance(0.6)) return `{${sometimesComment(random, 0.1)} policy = ${random.pick(LEVELS)} }`
  let text = `{${sometimesComment(random, 0.1)}`
  for (let left = random.below(4); left > 0; left--) {
    const item =
      depth > 0 && random.chance(0.3)
        ? block(random, depth - 1)
        : `${random.pick(ATTRIBUTES)} = ${value(random)}`
    text += random.pick(BLANKS) + sometimesComment(random, 0.1) + item + sometimesComment(random, 0.1)
  }
  return `${text}${random.pick(BLANKS)}}`
}

function value(random: SeededRandom): string {
  return random.chance(0.85) ? random.pick(LEVELS) : random.pick(ODD_VALUES)
}

function sometimesComment(random: SeededRandom, probability: number): string {
  return random.chance(probability) ? ` ${random.pick(COMMENTS)}` : ''
}

/** A JSON text that the language usually accepts. */
export function randomJson(random: SeededRandom): string {
  const members = Array.from({ length: random.below(4) }, () => {
    if (random.chance(0.3)) return `"${random.pick(SCALARS)}":${jsonValue(random)}`
    return `"${random.pick(KEYWORDS)}":${random.chance(0.9) ? jsonSegments(random) : `[${jsonSegments(random)},${jsonSegments(random)}]`}`
  })
  return `{${members.join(`,${random.pick(BLANKS)}`)}}`
}

function jsonSegments(random: SeededRandom): string {
  const segments = Array.from({ length: random.below(3) }, () => {
    const name = random.pick(['"a"', '"a\\/b"', '""', '"\\ud83d\\ude00"', '"${x\\"}"', '"é"', '"\\ud83d"'])
    return `${name}:${random.chance(0.9) ? jsonBody(random) : `[${jsonBody(random)}]`}`
  })
  return `{${segments.join(',')}}`
}

function jsonBody(random: SeededRandom): string {
  const intentions = random.chance(0.2) ? `,"intentions":${jsonValue(random)}` : ''
  return `{"policy":${jsonValue(random)}${intentions}}`
}

function jsonValue(random: SeededRandom): string {
  return random.chance(0.9)
    ? random.pick(LEVELS)
    : random.pick(['null', '1', 'true', '""', '[]', '"list"', '{}'])
}

/** Deletes, duplicates or replaces a few pieces. */
function damage(random: SeededRandom, text: string): string {
  let damaged = text
  for (let left = random.below(3) + 1; left > 0; left--) {
    const at = random.below(damaged.length + 1)
    const from = random.chance(0.5) ? at : random.below(damaged.length + 1)
    damaged =
      damaged.slice(0, at) +
      (random.chance(0.5) ? random.pick(NOISE) : '') +
      damaged.slice(from + random.below(3))
  }
  return damaged
}

function randomNoise(random: SeededRandom): string {
  return Array.from({ length: random.below(20) }, () => random.pick(NOISE)).join('')
}

/** Any of the above. */
export function randomText(random: SeededRandom): string {
  const form = random.next()
  if (form < 0.35) return randomHcl(random)
  if (form < 0.5) return randomJson(random)
  if (form < 0.8) return damage(random, randomHcl(random))
  return form < 0.9 ? damage(random, randomJson(random)) : randomNoise(random)
}
