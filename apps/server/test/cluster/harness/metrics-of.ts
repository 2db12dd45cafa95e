import type { Gateway } from './gateway.ts'
import { MANAGEMENT } from './server-group.ts'

/** The metrics of a process that have no labels, by name. */
export async function metricsOf(gateway: Gateway): Promise<ReadonlyMap<string, number>> {
  const path = '/agent/metrics?format=prometheus'
  const { status, text } = await gateway.ask({ method: 'GET', path, token: MANAGEMENT })
  if (status !== 200) throw new Error(`the metrics answered ${status}: ${text}`)
  const pairs = text.split('\n').flatMap((line) => {
    const [, name = '', value] = /^(\w+) (\S+)$/.exec(line) ?? []
    return name === '' ? [] : [[name, Number(value)] as const]
  })
  return new Map(pairs)
}
