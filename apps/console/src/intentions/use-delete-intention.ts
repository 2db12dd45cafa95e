import type { Intention } from '@latchkey/sdk'
import { useClient } from '../session/session.ts'
import { messageOf } from '../ui/message-of.ts'
import { showToast } from '../ui/toast.tsx'
import { destinationOf, sourceOf } from './intention-search.ts'

/** Deletes an intention at once, and offers an undo, which creates an equal one. */
export function useDeleteIntention(): (intention: Intention) => void {
  const client = useClient()
  const fail = (error: unknown) => showToast({ text: messageOf(error), tone: 'danger' })
  const restore = ({ SourceNS, SourceName, DestinationNS, DestinationName, ...more }: Intention) => {
    const { Description, Action, Permissions, Meta } = more
    const names = serverNames(SourceNS, DestinationNS)
    client.intentions
      .create({
        ...names,
        SourceName,
        DestinationName,
        Description,
        ...(Action === undefined ? {} : { Action }),
        ...(Permissions === undefined ? {} : { Permissions }),
        ...(Meta === undefined ? {} : { Meta }),
      })
      .catch(fail)
  }
  return (intention) => {
    const { ID } = intention
    const names = { source: sourceOf(intention), destination: destinationOf(intention) }
    const deleted = ID === undefined ? client.intentions.deleteExact(names) : client.intentions.delete(ID)
    deleted.then(
      () =>
        showToast({
          text: `Deleted the intention from ${names.source} to ${names.destination}`,
          durationMs: 10_000,
          action: { label: 'Undo', onSelect: () => restore(intention) },
        }),
      fail,
    )
  }
}

/** The standard edition does not accept namespaces in a body. */
function serverNames(SourceNS: string, DestinationNS: string) {
  return SourceNS === 'default' && DestinationNS === 'default' ? {} : { SourceNS, DestinationNS }
}
