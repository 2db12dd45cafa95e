/**
 * Writes the facts of endpoints into the docstrings of their methods: the paragraph that begins with "Endpoint `name`" is
 * generated from the contract.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  ACL_ERRORS,
  type AclErrorCode,
  type AnyRoute,
  GATES,
  ROUTES,
  type RouteName,
  routeOf,
} from '@latchkey/contract'
import * as errors from '../src/errors.ts'
import { kindOf } from '../src/request/refusal.ts'

/** "Endpoint `tokens.create`" and everything up to the next empty line, tag or end of the comment. */
const PARAGRAPH = /^( *)\* Endpoint `([\w.]+)`[^\n]*(?:\n *\* [^@\n][^\n]*)*/gm

const WIDTH = 116

const SRC = join(import.meta.dirname, '../src')

/** The sources by hand whose docstrings name endpoints. */
export function documentedFiles(): readonly string[] {
  const resources = readdirSync(join(SRC, 'resources'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(SRC, 'resources', name))
  return [join(SRC, 'client.ts'), ...resources]
}

/** Updates the facts in a source text. */
export function withEndpointDocs(source: string): string {
  return source.replace(PARAGRAPH, (_, indent: string, name: string) => {
    if (!isRouteName(name)) throw new Error(`a docstring names the unknown endpoint ${name}`)
    return wrap(endpointFacts(name), `${indent}* `)
  })
}

/** For instance: Endpoint `tokens.self` (GET /v1/acl/token/self). Right: self. Spec 4.4, from 1.4.0. Errors: … */
export function endpointFacts(name: RouteName): string {
  const endpoint = routeOf(name)
  const since = endpoint.gate === undefined ? undefined : GATES[endpoint.gate].since
  const until = endpoint.gate === undefined ? undefined : GATES[endpoint.gate].until
  const versions = [since && `from service version ${since}`, until && `removed in ${until}`].filter(Boolean)
  const source = sourceOf(endpoint.spec)
  const refusals = refusalsOf(endpoint)
  const edition = endpoint.edition === undefined ? '' : `, in the ${endpoint.edition} edition`
  return [
    `Endpoint \`${name}\` (${endpoint.method} ${endpoint.path}).`,
    `Right: ${endpoint.right}.`,
    `${[source, ...versions].join(', ')}${edition}.`,
    ...(refusals === '' ? [] : [`Errors: ${refusals}.`]),
  ].join(' ')
}

function sourceOf(spec: string): string {
  if (spec === 'extension') return 'An extension of the spec'
  return spec.startsWith('decisions') ? spec.replace('d', 'D') : `Spec ${spec}`
}

/** The refusals of an endpoint by class, without those common to every endpoint. */
function refusalsOf(endpoint: AnyRoute): string {
  const codes = new Set<AclErrorCode>(endpoint.errors)
  if (endpoint.right !== 'none') codes.add('caller_unknown')
  if (endpoint.right !== 'none' && endpoint.right !== 'self') codes.add('privilege_missing')
  if (endpoint.refusedInLegacyMode) codes.add('legacy_mode')
  const byClass = new Map<string, AclErrorCode[]>()
  for (const code of codes) {
    const className = classOf(code)
    byClass.set(className, [...(byClass.get(className) ?? []), code])
  }
  return [...byClass]
    .map(([className, members]) => `${className}${isSaidByName(members) ? '' : ` (${members.join(', ')})`}`)
    .join(', ')
}

/** Classes with a single code, which is omitted. */
function isSaidByName(codes: readonly AclErrorCode[]): boolean {
  return codes.every((code) => code === 'legacy_mode' || code === 'not_found')
}

const CLASS_NAMES = Object.keys(errors)

function classOf(code: AclErrorCode): string {
  const kind = kindOf(ACL_ERRORS[code].status, code)
  const className = CLASS_NAMES.find((name) => name.toLowerCase() === kind.replaceAll('_', ''))
  if (className === undefined) throw new Error(`no class for ${kind}`)
  return className
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name)
}

export function wrap(text: string, prefix: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && prefix.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((part) => prefix + part).join('\n')
}
