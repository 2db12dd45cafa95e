/** Carries out the steps of a schedule on the servers of a rehearsal. */
import type { Client } from '@latchkey/sdk'
import { sleep } from '../../sleep.ts'
import { isAtLeast, LEGACY_REMOVED } from '../../version.ts'
import type { Cluster } from '../cluster.ts'
import type { Run } from '../run.ts'
import { editEntry } from './intentions.ts'
import type { Step } from './schedule.ts'

export async function perform(run: Run, step: Step): Promise<void> {
  const { fleet, done, book } = run
  const at = Date.now()
  switch (step.kind) {
    case 'start':
    case 'restart': {
      if (step.kind === 'restart') await fleet.of(step.server).end(step.server, 'SIGTERM')
      await sleep(step.downtimeMs, run.options.signal)
      await fleet.of(step.server).start(step.server, startOf(run, step))
      done.push({ step, at, startedAt: Date.now() })
      return
    }
    case 'crash':
    case 'leave':
      await fleet.of(step.server).end(step.server, step.kind === 'crash' ? 'SIGKILL' : 'SIGQUIT')
      break
    case 'pause':
    case 'resume':
      fleet.of(step.server).setPaused(step.server, step.kind === 'pause')
      break
    case 'partition':
    case 'heal':
      fleet.changeLink(step.between, step.kind)
      break
    case 'snapshot':
      break
    case 'edit-intention': {
      const refused = await editEntry(fleet.primary, step.destination)
      if (refused !== undefined) run.refusedWrites.push(refused)
      break
    }
    default: {
      const cluster = clusterOf(run, step)
      if (cluster.answering().length > 0) {
        for (const write of await book.write(() => writer(cluster), step)) {
          done.push(write)
          if (write.refused !== undefined) run.refusedWrites.push(write.refused)
        }
        return
      }
      run.refusedWrites.push(...Array<string>(step.count ?? 0).fill('no server runs'))
    }
  }
  done.push({ step, at, answeredAt: Date.now() })
}

/** Tokens are written in the primary, except by a client of the token API in a secondary. */
function clusterOf({ fleet }: Run, step: Step): Cluster {
  const datacenter = 'datacenter' in step ? step.datacenter : undefined
  return fleet.clusters.find((each) => each.datacenter === datacenter) ?? fleet.primary
}

function writer(cluster: Cluster): Client {
  const server = cluster.answering().find(({ version }) => !isAtLeast(version, LEGACY_REMOVED))
  return cluster.client(cluster.managementSecret, server?.url)
}

function startOf({ scenario, done }: Run, step: Extract<Step, { kind: 'start' | 'restart' }>) {
  const spec = scenario.datacenters.flatMap(({ servers }) => servers).find(({ id }) => id === step.server)
  if (spec === undefined) throw new TypeError(`the scenario let the unknown server ${step.server} through`)
  const starts = [...done.map((each) => each.step), step].flatMap((each) =>
    'version' in each && each.server === step.server ? [each] : [],
  )
  return {
    version: starts.findLast((each) => each.version !== undefined)?.version ?? spec.from,
    acls: starts.findLast((each) => each.acls !== undefined)?.acls ?? spec.acls,
  }
}

export function describeStep(step: Step): string {
  if ('count' in step) return `${step.kind}: ${step.count ?? 'all'}`
  if ('destination' in step) return `${step.kind}: ${step.destination}`
  if ('between' in step) return `${step.kind} ${step.between.join(' and ')}`
  const version = 'version' in step && step.version !== undefined ? ` as ${step.version.text}` : ''
  return `${step.kind} ${step.server ?? 'every server'}${version}`
}
