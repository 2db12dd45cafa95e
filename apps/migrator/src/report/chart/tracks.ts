/** The modes of each server and agent over the time of a history. */
import type { History } from '../../simulate/history.ts'
import type { Look, Stretch, Track } from './chart.ts'

export function tracksOf(history: History): Track[] {
  const stretches = stretchesOf(history)
  return history.members.map(({ id, datacenter, isAgent, newModeAt }) => ({
    id,
    datacenter,
    isAgent,
    newModeAt,
    stretches: stretches.get(id) ?? [],
  }))
}

const PROCESS_LOOKS = { paused: 'paused', down: 'down', refused: 'down' } as const

function stretchesOf({ records }: History): ReadonlyMap<string, readonly Stretch[]> {
  const rows = new Map<string, Stretch[]>()
  const leaders = new Map<string, string | undefined>()
  const open = (id: string, at: number, look: Look | undefined, version: string) => {
    const row = rows.get(id) ?? []
    rows.set(id, row)
    const last = row.at(-1)
    if (last !== undefined) row[row.length - 1] = { ...last, to: at }
    if (look === undefined) return
    row.push({ from: at, to: undefined, look, version, leads: [...leaders.values()].includes(id) })
  }
  const reopen = (id: string | undefined, at: number) => {
    const last = id === undefined ? undefined : rows.get(id)?.at(-1)
    if (id !== undefined && last !== undefined) open(id, at, last.look, last.version)
  }
  for (const each of records) {
    switch (each.kind) {
      case 'process': {
        const look = each.state === 'up' || each.state === 'resumed' ? each.mode : PROCESS_LOOKS[each.state]
        open(each.server, each.at, look, each.version.text)
        break
      }
      case 'mode':
        open(each.server, each.at, each.mode, rows.get(each.server)?.at(-1)?.version ?? '')
        break
      case 'agent-mode':
        open(each.agent, each.at, each.mode, 'agent')
        break
      case 'leader': {
        const before = leaders.get(each.datacenter)
        leaders.set(each.datacenter, each.server)
        reopen(before, each.at)
        reopen(each.server, each.at)
        break
      }
      case 'reaped':
        open(each.server, each.at, undefined, '')
        break
    }
  }
  return new Map(
    [...rows].map(([id, row]) => [id, row.filter(({ from, to }) => to === undefined || to > from)]),
  )
}
