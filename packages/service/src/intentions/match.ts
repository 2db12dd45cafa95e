import { parseEnd } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { requireSpellings } from './rights.ts'
import { intentionShown } from './stored-intentions.ts'

/** Checks the right for every requested name, so the other end of a shown intention needs no check. */
export function matchIntentionsHandler(call: Call<'intentions.match'>): Answer<'intentions.match'> {
  const { directory, query, service } = call
  const { by, name: names = [] } = query
  if (by === undefined) throw missingOption('by')
  if (names.length === 0) throw missingOption('name')
  if (names.length > limits.MATCH_NAMES_MAX) {
    const message = `name must be given at most ${limits.MATCH_NAMES_MAX} times`
    throw new AclError('field_invalid', message, { field: 'name' })
  }
  const ends = names.map((name) => [name, parseEnd(name, 'name', service.edition)] as const)
  for (const [, end] of ends)
    requireSpellings(call, { ...end, end: by }, { resource: 'intention', access: 'read' })
  const intentions = directory.intentions()
  const show = intentionShown(directory)
  const repeated = new RepeatedContent()
  const matches = ends.map(([asked, { namespace, name }]) => {
    const found =
      by === 'source' ? intentions.ofSource(namespace, name) : intentions.toDestination(namespace, name)
    const shown = found.map((intention) => {
      const element = show(intention)
      repeated.add(intention, () => JSON.stringify(element).length)
      return element
    })
    return [asked, shown] as const
  })
  return json(Object.fromEntries(matches), { topic: 'intentions', filtered: true })
}

function missingOption(field: string): AclError {
  return new AclError('field_required', `required query parameter '${field}' not set`, { field })
}
