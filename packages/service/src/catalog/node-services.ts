import { type Answer, type Call, type Content, json } from '../handler.ts'
import { readNode } from './node-content.ts'

/** A node with a list of its services. */
export async function nodeServicesHandler(
  call: Call<'catalog.nodeServices'>,
): Promise<Answer<'catalog.nodeServices'>> {
  const { found, watch, rights } = await readNode(call, call.params.Node)
  const shown: Content<'catalog.nodeServices'> = found
    ? { Node: found.node, Services: [...found.services] }
    : { Node: null, Services: null }
  return rights.mark(json(shown, watch))
}
