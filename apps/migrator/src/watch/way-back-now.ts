/** The way back at this moment: the phase from the state of the servers, and the losses from the simulation. */
import type { WayBack } from '../way-back/way-back.ts'
import type { SeenServer } from './service-api.ts'

interface WayBackNow {
  readonly isOpen: boolean
  readonly how: string
  readonly lost: readonly string[]
}

/**
 * The servers determine whether the way back is open (spec 9.2.5): a single server in new mode closes it. The losses
 * are those predicted for this phase. Undefined while no server shows its mode.
 */
export function wayBackNow(
  servers: readonly Pick<SeenServer, 'mode' | 'status'>[],
  { hasAccessors, ways }: { readonly hasAccessors: boolean; readonly ways: readonly WayBack[] },
): WayBackNow | undefined {
  const known = servers.filter(({ mode, status }) => mode !== undefined && status === 'alive')
  if (known.length === 0) return undefined
  const isClosed = known.some(({ mode }) => mode === 'new')
  const phase = isClosed ? (hasAccessors ? 'after' : 'accessors') : 'replacing'
  const predicted = ways.find((way) => way.phase === phase && way.isOpen === !isClosed)
  if (predicted !== undefined) return predicted
  return isClosed
    ? {
        isOpen: false,
        how: 'Restore a snapshot from before the end of legacy mode into empty servers of the old version.',
        lost: ['everything that was written after the snapshot is gone'],
      }
    : { isOpen: true, how: 'Restart the replaced servers as the old version, one by one.', lost: [] }
}
