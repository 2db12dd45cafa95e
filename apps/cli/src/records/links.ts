/** Parses links and identities from options. */
import { CliError } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isId(reference: string): boolean {
  return UUID.test(reference)
}

interface Link {
  readonly ID?: string | undefined
  readonly Name?: string | undefined
}

/** A link by ID if the reference looks like an ID, otherwise by name. */
function linkTo(reference: string): Link {
  return isId(reference) ? { ID: reference } : { Name: reference }
}

/**
 * The resulting links after the options `--policy` (replaces all), `--add-policy` and `--remove-policy`.
 *
 * @param option `policy` or `role`.
 * @returns `undefined` if there were no links and no option names one.
 */
export function changedLinks<L extends Link>(
  before: readonly L[] | undefined,
  option: string,
  input: Input,
): (L | Link)[] | undefined {
  const name = `${option.charAt(0).toUpperCase()}${option.slice(1)}`
  const all = input.texts(option)
  const added = input.texts(`add${name}`) ?? []
  const removed = input.texts(`remove${name}`) ?? []
  if (before === undefined && all === undefined && added.length === 0) {
    if (removed.length > 0) throw absent(option, removed[0] ?? '')
    return undefined
  }
  const links: (L | Link)[] = all?.map(linkTo) ?? [...(before ?? [])]
  for (const reference of removed) {
    const place = links.findIndex((link) => isCalled(link, reference))
    if (place === -1) throw absent(option, reference)
    links.splice(place, 1)
  }
  return [
    ...links,
    ...added.filter((reference) => !links.some((link) => isCalled(link, reference))).map(linkTo),
  ]
}

function absent(option: string, reference: string): CliError {
  return new CliError(`--remove-${option} ${reference}: there is no such link`)
}

function isCalled({ ID, Name }: Link, reference: string): boolean {
  const wanted = reference.toLowerCase()
  return ID?.toLowerCase() === wanted || Name?.toLowerCase() === wanted
}

/** `web` or `web:dc1,dc2`. */
export function serviceIdentities(texts: readonly string[]) {
  return texts.map((text) => {
    const [ServiceName = '', datacenters] = text.split(':')
    return { ServiceName, ...(datacenters ? { Datacenters: datacenters.split(',') } : {}) }
  })
}

/** `node-1:dc1`. */
export function nodeIdentities(texts: readonly string[]) {
  return texts.map((text) => {
    const [NodeName = '', Datacenter = ''] = text.split(':')
    if (Datacenter === '')
      throw new CliError(`--node ${text}: name the datacenter too, such as --node ${text}:dc1`)
    return { NodeName, Datacenter }
  })
}
