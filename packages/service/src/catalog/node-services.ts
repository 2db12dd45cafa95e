import { type Answer, type Call, json } from '../handler.ts'
import { readNode } from './node-content.ts'

/** A node with a list of its services. */
export async function nodeServicesHandler(
  call: Call<'catalog.nodeServices'>,
): Promise<Answer<'catalog.nodeServices'>> {
  const { found, watch } = await readNode(call, call.params.Node)
  if (!found) return json({ Node: null, Services: null }, watch)
  return json({ Node: found.node, Services: [...found.services] }, watch)
}
