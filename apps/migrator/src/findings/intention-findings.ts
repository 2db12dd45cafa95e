/** Findings about the intentions migration at 1.9.0. Spec 9.5. */
import { recordsOf } from '../check/facts.ts'
import { formatSeconds, spanOf } from '../scenario/time.ts'
import { about, agrees, counted, type Evidence, type Finder, type Found } from './finding.ts'

export const INTENTION_FINDERS: readonly Finder[] = [findBlocked, findForeignNamespaces, findMovedFields]

/** Spec 9.5.1, 9.5.2: writes are blocked from the first leader of 1.9.0 in the primary to the end of the migration. */
function findBlocked({ scenario, history }: Evidence): Found {
  const states = recordsOf(history, 'intentions').filter((each) => each.datacenter === history.primary)
  const [first] = states
  if (first === undefined) return []
  const done = states.find((each) => each.state === 'done')
  const count = scenario.intentions.length
  if (first.state === 'never') {
    return {
      id: 'intentions-never-migrate',
      severity: 'critical',
      count,
      detail: `Connect is disabled, so the migration of ${counted(count, 'intention')} never starts, and writes remain refused (spec 9.5.2)`,
      avoid: 'Enable connect, or delete the intentions before 1.9.0.',
      from: first.at,
    }
  }
  if (done === undefined) {
    const waiting = states.findLast((each) => each.state === 'waiting')
    return {
      id: 'intentions-blocked-forever',
      severity: 'critical',
      count,
      detail: `Intentions cannot be written from ${formatSeconds(first.at)} on, permanently: ${waiting?.detail ?? first.detail} (spec 9.5.1)`,
      avoid: 'Upgrade every server of the primary to 1.9.0 or later, or remove it.',
      from: first.at,
      servers: (waiting?.waitsFor ?? []).map(({ server }) => server).filter((id) => id !== ''),
    }
  }
  const hasWaited = done.at > first.at
  return {
    id: 'intentions-migrated',
    severity: hasWaited ? 'warning' : 'info',
    count,
    detail: `${counted(count, 'intention')} ${agrees(count, 'becomes a config entry', 'become config entries')}; intentions cannot be written ${spanOf(first.at, done.at, formatSeconds)}, reads work (spec 9.5.2)`,
    avoid:
      'Freeze intentions for the window, and upgrade the last server of the primary soon after the first. Take a snapshot before: afterwards it is the only way back to a version before 1.9.0.',
    from: first.at,
    to: done.at,
  }
}

/** The standard edition deletes intentions outside the default namespace. */
function findForeignNamespaces({ scenario, history }: Evidence): Found {
  const foreign = scenario.intentions.filter(({ namespace, sourceNamespace }) =>
    [namespace, sourceNamespace].some((each) => each !== 'default' && each !== '*'),
  )
  const isMigrated = recordsOf(history, 'intentions').some((each) => each.state === 'done')
  if (foreign.length === 0 || !isMigrated) return []
  return {
    id: 'intentions-deleted',
    severity: 'critical',
    count: foreign.length,
    detail: `${counted(foreign.length, 'intention')} ${agrees(foreign.length, 'has', 'have')} a source or destination in a namespace other than default, and ${agrees(foreign.length, 'is', 'are')} deleted by the migration in the standard edition`,
    avoid: 'Move these intentions, or keep a record of them, before 1.9.0.',
  }
}

/** Spec 9.5.3: the first edit as a config entry moves the fields of the old API, and ids stop working. */
function findMovedFields({ scenario, history }: Evidence): Found {
  const edits = recordsOf(history, 'intention-edited')
  const destinations = new Set(edits.map((each) => each.destination))
  const hit = scenario.intentions.filter((each) => destinations.has(each.destination))
  const withMeta = hit.filter((each) => each.hasMeta).length
  const refused = edits.filter((each) => !each.migrated).length
  const meta =
    withMeta === 0
      ? ''
      : `; ${counted(withMeta, 'intention')} ${agrees(withMeta, 'carries', 'carry')} Meta, now LegacyMeta, which must be removed by hand or the edit fails (Sources[0].LegacyMeta must be omitted)`
  const early =
    refused === 0
      ? ''
      : `; ${counted(refused, 'edit')} came before the end of the migration and ${agrees(refused, 'was', 'were')} refused`
  return about(edits, (first) => ({
    id: 'intention-fields-move',
    severity: 'warning',
    count: hit.length,
    detail: `After the edit as a config entry (${[...destinations].join(', ')}, ${formatSeconds(first.at)}) ID, CreatedAt and UpdatedAt are moved to LegacyID, LegacyCreateTime and LegacyUpdateTime and cleared${meta}; the ID-based endpoints no longer find ${counted(hit.length, 'intention')} (spec 9.5.3)${early}`,
    avoid: 'Find every client that addresses intentions by id first.',
  }))
}
