import type { ArchiveEnd } from '../../archive/format.ts'

/** Such as `12 records (3 token, 9 kv)`. */
export function summaryOf({ records }: Pick<ArchiveEnd, 'records'>): string {
  const counts = Object.entries(records)
  const sum = counts.reduce((total, [, count]) => total + count, 0)
  return `${sum} records (${counts.map(([table, count]) => `${count} ${table}`).join(', ')})`
}
