/** The errors and unexpected answers of one workload over time; darker means more. */
import { type Html, html } from '@latchkey/contract'
import { counted } from '../../findings/finding.ts'
import type { ClientTrack } from './chart.ts'
import { round, type TimeScale } from './scale.ts'

/** Columns of a lane. Narrower columns would be indistinguishable on a phone. */
const BINS = 100
const BIN_OPACITY_MIN = 0.35

export function clientLane({ name, spans }: ClientTrack, scale: TimeScale): { label: Html; plot: Html } {
  const total = (isError: boolean) =>
    spans.reduce((sum, each) => sum + (each.isError === isError ? each.count : 0), 0)
  const [errors, odd] = [total(true), total(false)]
  const text =
    errors + odd === 0
      ? 'no error'
      : [
          ...(errors > 0 ? [counted(errors, 'error')] : []),
          ...(odd > 0 ? [`${counted(odd, 'unexpected answer')}`] : []),
        ].join(', ')
  const rows = [true, false].map((isError) => {
    const counts = binsOf(
      spans.filter((each) => each.isError === isError),
      scale,
    )
    const most = Math.max(...counts)
    return counts.map(
      (count, i) =>
        count > 0 &&
        html`<rect class="${isError ? 'c-error' : 'c-odd'}" x="${i * 10}" y="${isError ? 0 : 9}" width="10" height="${isError && odd > 0 ? 8 : isError ? 16 : 7}" opacity="${round(BIN_OPACITY_MIN + ((1 - BIN_OPACITY_MIN) * count) / most)}"/>`,
    )
  })
  return {
    label: html`<b>${name}</b> <small>${text}</small>`,
    plot: html`<svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label="${name}: ${text}">${rows}</svg>`,
  }
}

/** Calls per column. The calls of a period are distributed evenly over its columns. */
function binsOf(spans: ClientTrack['spans'], { percent }: TimeScale): number[] {
  const bins = new Array<number>(BINS).fill(0)
  for (const { from, to, count } of spans) {
    const first = Math.min(BINS - 1, Math.floor((percent(from) / 100) * BINS))
    const last = Math.min(BINS - 1, Math.floor((percent(to) / 100) * BINS))
    const share = count / (last - first + 1)
    for (let i = first; i <= last; i++) bins[i] = (bins[i] ?? 0) + share
  }
  return bins
}
